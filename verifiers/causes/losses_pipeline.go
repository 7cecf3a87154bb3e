package verifiers

import (
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/keyset"
)

// ofPipeline splits a pipeline's lost inputs by cause. An input whose output was aborted is told by its key. Which outputs
// a worker was told are stored is known only as counts by partition: as many of a partition's lost inputs as confirmed
// outputs are missing from it were acked and are gone. The rest was committed past without an output.
func (l *losses) ofPipeline(e *row, d *provenance, inTxns map[int32]uint64) error {
	gone := confirmedAndGone(e, d, inTxns)
	dropped := e.lost.And(e.out.dropped)
	l.add(byAbort, dropped.Len())
	rest := l.splitGivenUp(e, e.lost.Minus(dropped))
	causes := map[int32][]causeCount{}
	for _, p := range rest.Classes() {
		here := rest.Where(func(class int32) bool { return class == p }).Len()
		causes[p] = l.split(e, p, here, gone[p])
		for _, c := range causes[p] {
			l.add(c.cause, c.n)
		}
	}
	passed, err := passesOf(e)
	if err != nil {
		return err
	}
	l.passes = passed.list
	l.anomalies = l.examples(e, passed, causes)
	return l.nameAborted(e)
}

// causeCount is a number of lost inputs with one cause.
type causeCount struct {
	cause string
	n     uint64
}

// split spreads a partition's lost inputs over what the partition's log allows: below its start, then as many as were cut
// off, then absent; and what no worker was told of is skipped.
func (l *losses) split(e *row, p int32, lost, gone uint64) []causeCount {
	gone = min(gone, lost)
	var split []causeCount
	take := func(cause string, most, left uint64) uint64 {
		n := min(most, left)
		if n > 0 {
			split = append(split, causeCount{cause, n})
		}
		return left - n
	}
	left := gone
	if d := deletionIn(e, p); d != nil {
		left = take(byDeletion, uint64(d.LogStart), left)
	}
	left = take(byTruncation, uint64(max(0, l.truncated.length(p))), left)
	take(byAbsence, left, left)
	take(bySkip, lost-gone, lost-gone)
	return split
}

// confirmedAndGone counts, by output partition, the outputs that a worker was told are stored for good and that are not in
// the log: outside transactions, and in transactions whose commit was confirmed.
func confirmedAndGone(e *row, d *provenance, inTxns map[int32]uint64) map[int32]uint64 {
	gone := map[int32]uint64{}
	for _, w := range e.workers {
		for p, confirmed := range w.confirmed {
			if there := processings(e, d, w.life, p); confirmed > there && e.out.whole(p) {
				gone[p] += confirmed - there
			}
		}
	}
	for p, n := range inTxns {
		gone[p] += n
	}
	return gone
}

// examples are the first lost inputs. Where a partition's lost inputs have several causes that counts alone tell apart,
// an example has none.
func (l *losses) examples(e *row, passed *passes, causes map[int32][]causeCount) []harness.Anomaly {
	var all []harness.Anomaly
	first := e.lost.First(e.keep.most)
	for k := range e.asked {
		if e.lost.Has(k) && !slices.Contains(first, k) {
			first = append(first, k)
		}
	}
	for _, k := range first {
		a := harness.Anomaly{Kind: harness.AnomalyLost, Record: e.recordRef(k), Commit: passed.of(k)}
		switch split := causes[k.Class]; {
		case e.out.dropped.Has(k):
			a.Cause = byAbort
		case l.givenUp != nil && l.givenUp.Has(k):
			a.Cause = byGivingUp
		case len(split) == 1:
			a.Cause = split[0].cause
		}
		switch a.Cause {
		case byDeletion:
			a.Deletion = deletionIn(e, k.Class)
		case byTruncation:
			a.Truncation = &l.truncated[k.Class][0]
		}
		all = append(all, a)
	}
	return all
}

// nameAborted finds the transactions that lost outputs were aborted with, and puts everything into words.
func (l *losses) nameAborted(e *row) error {
	wanted := map[keyset.Key][]copyOf{}
	for i := range l.anomalies {
		if a := &l.anomalies[i]; a.Cause == byAbort {
			wanted[recordKey(a.Record, e)] = nil
		}
	}
	if err := findCopies(e, wanted, e.out.dropped, aborted); err != nil {
		return err
	}
	for i := range l.anomalies {
		a := &l.anomalies[i]
		k := recordKey(a.Record, e)
		for _, c := range wanted[k] {
			a.Copies = append(a.Copies, copyRef(e, c, ""))
			by := e.lifeOf(c.life)
			a.Txn = &harness.TxnRef{By: &by, Ordinal: c.txn, ProducerID: c.producer, ProducerEpoch: int32(c.epoch), Decided: "aborted"}
		}
		a.Text = lostText(e, a, k)
	}
	return nil
}

// processings are the outputs outside transactions that a partition holds of a worker's life: further copies of one
// processing are duplicates, and make up for no output that is not there.
func processings(e *row, d *provenance, l life, partition int32) uint64 {
	there := e.out.lives[l][partition].present()
	if same := d.same[l][partition]; same != nil {
		there -= min(there, same.visible)
	}
	return there
}
