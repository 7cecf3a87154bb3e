package causes

import (
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// ofPipeline splits a pipeline's lost inputs by cause. An input whose output was aborted is known by its key. Which outputs
// were confirmed to a worker is known only as counts by partition: as many of a partition's lost inputs as confirmed
// outputs are missing from it were acknowledged and are gone. The rest was passed by a commit without an output.
func (l *Losses) ofPipeline(row *rows.Row, d *Copies, inTxns Gone) error {
	gone := confirmedAndGone(row, d, inTxns)
	dropped := row.Lost.And(row.Out.Aborted)
	l.add(ByAbort, dropped.Len())
	rest := row.Lost.Minus(dropped)
	if l.givenUp = row.NeverAcknowledged(rest); l.givenUp != nil {
		l.add(ByGivingUp, l.givenUp.Len())
		rest = rest.Minus(l.givenUp)
	}
	causes := map[int32][]CauseCount{}
	for _, p := range rest.Partitions() {
		here := rest.Where(func(partition int32) bool { return partition == p }).Len()
		causes[p] = l.split(row, p, here, gone[p])
		for _, c := range causes[p] {
			l.add(c.Cause, c.N)
		}
	}
	passed, err := overtakingCommits(row)
	if err != nil {
		return err
	}
	l.Overtaking = passed.list
	l.Anomalies = l.examples(row, passed, causes)
	return l.nameAborted(row)
}

// CauseCount is a number of lost inputs with one cause.
type CauseCount struct {
	Cause string
	N     uint64
}

// split spreads a partition's lost inputs over what the partition's log allows: below its start, then as many as were cut
// off, then absent; and what was confirmed to no worker is skipped.
func (l *Losses) split(row *rows.Row, p int32, lost, gone uint64) []CauseCount {
	gone = min(gone, lost)
	var split []CauseCount
	take := func(cause string, most, left uint64) uint64 {
		n := min(most, left)
		if n > 0 {
			split = append(split, CauseCount{cause, n})
		}
		return left - n
	}
	left := gone
	if d := deletionIn(row, p); d != nil {
		left = take(ByDeletion, uint64(d.LogStart), left)
	}
	left = take(ByTruncation, uint64(max(0, l.truncated.Length(p))), left)
	take(ByAbsence, left, left)
	take(BySkip, lost-gone, lost-gone)
	return split
}

// confirmedAndGone counts, by output partition, the outputs that were confirmed to a worker for good and that are not in
// the log: outside transactions, and in transactions whose commit was confirmed.
func confirmedAndGone(row *rows.Row, d *Copies, inTxns Gone) map[int32]uint64 {
	gone := map[int32]uint64{}
	for _, w := range row.Workers {
		for p, confirmed := range w.Confirmed {
			if there := Processings(row, d, w.Incarnation, p); confirmed > there && row.Out.Whole(p) {
				gone[p] += confirmed - there
			}
		}
	}
	for p, n := range inTxns {
		gone[p] += n
	}
	return gone
}

// examples are the first lost inputs. If a partition's lost inputs have several causes, which are known by counts alone,
// an example has none.
func (l *Losses) examples(row *rows.Row, passed *overtaking, causes map[int32][]CauseCount) []harness.Anomaly {
	var all []harness.Anomaly
	first := row.Lost.First(row.Keep.Most)
	for k := range row.Asked {
		if row.Lost.Has(k) && !slices.Contains(first, k) {
			first = append(first, k)
		}
	}
	for _, k := range first {
		a := harness.Anomaly{Kind: harness.AnomalyLost, Record: row.RecordRef(k), Commit: passed.of(k)}
		switch split := causes[k.Partition]; {
		case row.Out.Aborted.Has(k):
			a.Cause = ByAbort
		case l.givenUp != nil && l.givenUp.Has(k):
			a.Cause = ByGivingUp
		case len(split) == 1:
			a.Cause = split[0].Cause
		}
		switch a.Cause {
		case ByDeletion:
			a.Deletion = deletionIn(row, k.Partition)
		case ByTruncation:
			a.Truncation = &l.truncated[k.Partition][0]
		}
		all = append(all, a)
	}
	return all
}

// nameAborted finds the transactions that lost outputs were aborted with, and puts everything into words.
func (l *Losses) nameAborted(row *rows.Row) error {
	wanted := map[keyset.Key][]Copy{}
	for i := range l.Anomalies {
		if a := &l.Anomalies[i]; a.Cause == ByAbort {
			wanted[row.RecordKey(a.Record)] = nil
		}
	}
	if err := findCopies(row, wanted, row.Out.Aborted, txns.Aborted); err != nil {
		return err
	}
	for i := range l.Anomalies {
		a := &l.Anomalies[i]
		k := row.RecordKey(a.Record)
		for _, c := range wanted[k] {
			a.Copies = append(a.Copies, copyRef(row, c, ""))
			by := row.IncarnationRef(c.Incarnation)
			a.Txn = &harness.TxnRef{By: &by, Ordinal: c.txn, ProducerID: c.producer, ProducerEpoch: int32(c.epoch), Decided: "aborted"}
		}
		a.Text = lostText(row, a, k)
	}
	return nil
}

// Processings are the outputs outside transactions that a partition holds of an incarnation: further copies of one
// processing are duplicates, and make up for no output that is not there.
func Processings(row *rows.Row, d *Copies, l txns.Incarnation, partition int32) uint64 {
	there := row.Out.Incarnations[l][partition].Present()
	if same := d.same[l][partition]; same != nil {
		there -= min(there, same.Visible)
	}
	return there
}
