package causes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/parallel"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// copyOf is one visible copy of an input in the output log.
type Copy struct {
	// partition is the output partition's number.
	partition int32
	offset    int64
	producer  int64
	epoch     int16
	sequence  int32
	leader    int32
	txns.Incarnation
	processing, txn uint64
}

// provenance is why duplicates exist.
type Copies struct {
	By map[string]uint64
	// same counts, by worker's life and output partition, further copies of one processing.
	same map[txns.Incarnation]map[int32]*txns.Tally
	// anomalies are the first duplicated inputs with all their copies; rereads what led to second deliveries.
	Anomalies []harness.Anomaly
	charged   rereads
	Rereads   []harness.Reread
	// handed are the deliveries of the inputs in hand, where the row is a share group's.
	handed handOuts
}

// The causes of a duplicate.
const (
	// byBroker: the same producer id, epoch and record sequence stored twice.
	ByBroker = "broker"
	// One processing of a record stored several times: without a producer id nobody can tell; with another id or epoch the
	// broker could not; under one id and epoch the producer gave the record a new sequence.
	ByResend       = "resend without producer id"
	ByResendAcross = "resend across producer ids"
	ByResendWithin = "resend under one producer id"
	// byCall: the external service was called again for one processing of a record, and stored it again.
	ByCall = "called again"
	// byProcess is a second delivery; after it comes why, where the histories tell.
	ByProcess = "reprocessed"
)

// maxExamples bounds how many anomalies of a kind are kept in full.
const MaxExamples = 3

// trace reads the copies of every duplicated input again and says why each further one exists.
func TraceCopies(e *rows.Row) (*Copies, error) {
	p := &Copies{By: map[string]uint64{}, same: map[txns.Incarnation]map[int32]*txns.Tally{}}
	chunk := map[keyset.Key][]Copy{}
	var failed error
	flush := func() bool {
		failed = p.chunk(e, chunk)
		clear(chunk)
		return failed == nil
	}
	e.Out.Repeated.Compact() // partitions are read at the same time
	e.Out.Repeated.Each(func(k keyset.Key) bool {
		chunk[k] = nil
		return len(chunk) < e.Run.Pieces.Copies || flush()
	})
	if failed == nil && len(chunk) > 0 {
		flush()
	}
	if failed == nil {
		p.Rereads, failed = p.charged.settle(e)
	}
	for i := range p.Anomalies {
		a := &p.Anomalies[i]
		a.Text = fmt.Sprintf("%s is there %d times (%s): %s", e.RecordName(rows.RecordKey(a.Record, e)), len(a.Copies), a.Cause, Places(e, a.Copies))
		for _, x := range rereadsOf(a.Copies) {
			a.Text += "; " + x.Text
		}
	}
	return p, failed
}

func (p *Copies) chunk(e *rows.Row, chunk map[keyset.Key][]Copy) error {
	if err := findCopies(e, chunk, e.Out.Repeated, txns.Visible); err != nil {
		return err
	}
	if e.Layout.ShareGroup {
		var err error
		if p.handed, err = findHandOuts(e, chunk); err != nil {
			return err
		}
	}
	keys := make([]keyset.Key, 0, len(chunk))
	for k := range chunk {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b keyset.Key) int { return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.Index, b.Index)) })
	for _, k := range keys {
		p.explain(e, k, chunk[k])
	}
	return nil
}

type keyedCopy struct {
	key keyset.Key
	Copy
}

// findCopies reads the row's output again for the copies of some inputs, all of them in among, that stand as asked.
func findCopies(e *rows.Row, wanted map[keyset.Key][]Copy, among *keyset.Set, stand txns.Visibility) error {
	if len(wanted) == 0 {
		return nil
	}
	found := make([][]keyedCopy, len(e.Out.Parts))
	err := parallel.Do(len(e.Out.Parts), func(i int) (err error) {
		o := logs.NewReader(e.Run, e.In, e.Layout, e.Out.Parts[i])
		found[i], err = collect(o, among, stand, wanted)
		return err
	})
	if err != nil {
		return err
	}
	for _, of := range found {
		for _, x := range of {
			wanted[x.key] = append(wanted[x.key], x.Copy)
		}
	}
	return nil
}

// collect reads one partition for the copies of wanted inputs.
func collect(o *logs.Reader, among *keyset.Set, stand txns.Visibility, wanted map[keyset.Key][]Copy) (found []keyedCopy, err error) {
	if o.Log.Idle {
		return nil, nil
	}
	partitions := o.Run.Record.Plan.Partitions
	may := func(x *logs.Section) bool { return x.HoldsAny(among, o.Layout.ProducerOnly, partitions) }
	err = o.Log.ReadWhere(may, func(b *observation.Batch) {
		if b.Damaged || o.Log.Visibility(b) != stand {
			return
		}
		for i := range b.Runs {
			r := &b.Runs[i]
			if class, from, ok := o.Orderly(r); ok && !among.HasAny(class, from, from+uint64(r.Count)) {
				continue
			}
			for j := range r.Count {
				rec := r.At(j)
				key, kind := o.Classify(&rec)
				if _, asked := wanted[key]; kind != logs.Sound || !asked {
					continue
				}
				found = append(found, keyedCopy{key, Copy{
					partition: o.Log.Number, offset: rec.Offset, producer: b.ProducerID, epoch: b.ProducerEpoch, sequence: b.Sequence(rec.Offset),
					leader: b.LeaderEpoch, Incarnation: txns.Of(rec.Worker, rec.Incarnation), processing: rec.Processing, txn: rec.Txn,
				}})
			}
		}
	})
	return found, err
}

// explain gives every copy but the first its cause, by the earlier ones.
func (p *Copies) explain(e *rows.Row, k keyset.Key, copies []Copy) {
	a := harness.Anomaly{Kind: harness.AnomalyDuplicate, Record: e.RecordRef(k)}
	for i, c := range copies {
		cause, reread := "", (*harness.Reread)(nil)
		if i > 0 {
			cause, reread = p.cause(e, k, c, copies[:i])
			p.By[cause]++
			a.Cause = cmp.Or(a.Cause, cause)
			if !strings.HasPrefix(cause, ByProcess) && (c.txn == 0 || e.Layout.Effects) {
				txns.TallyOf(p.same, c.Incarnation, c.partition).Visible++
			}
		}
		ref := copyRef(e, c, cause)
		ref.Reread = reread
		a.Copies = append(a.Copies, ref)
	}
	if len(p.Anomalies) < e.Keep.Most || e.Asked[k] {
		p.Anomalies = append(p.Anomalies, a)
	}
}

// rereadsOf lists what a record's later copies came of, each once.
func rereadsOf(copies []harness.CopyRef) (all []*harness.Reread) {
	for _, c := range copies {
		if c.Reread != nil && !slices.Contains(all, c.Reread) {
			all = append(all, c.Reread)
		}
	}
	return all
}

// cause says why a copy exists beside the earlier ones: the best explanation that any of them gives. A second delivery
// comes with the reread that it is charged to, where a history tells.
func (p *Copies) cause(e *rows.Row, k keyset.Key, c Copy, earlier []Copy) (cause string, by *harness.Reread) {
	for _, o := range earlier {
		switch same := e.Layout.ProducerOnly || o.Incarnation == c.Incarnation && o.processing == c.processing; {
		case c.producer >= 0 && c.sequence >= 0 && o.partition == c.partition && o.producer == c.producer && o.epoch == c.epoch && o.sequence == c.sequence:
			return ByBroker, nil
		case same && e.Layout.Effects:
			cause = ByCall
		case same && (o.producer < 0 || c.producer < 0):
			cause = ByResend
		case same && (o.producer != c.producer || o.epoch != c.epoch):
			cause = cmp.Or(cause, ByResendAcross)
		case same:
			cause = cmp.Or(cause, ByResendWithin)
		}
	}
	if cause != "" {
		return cause, nil
	}
	if e.Layout.ShareGroup {
		return ByProcess + " after " + RereadRedelivery, p.charged.redelivered(e, k, c, p.handed)
	}
	why, by := p.charged.note(e, e.InputOf(k.Class), earlier[len(earlier)-1], c)
	if why == "" {
		return ByProcess, nil
	}
	return ByProcess + " after " + why, by
}

func copyRef(e *rows.Row, c Copy, cause string) harness.CopyRef {
	at := e.At(c.partition)
	ref := harness.CopyRef{
		Topic: at.Topic, Partition: at.Partition, Offset: c.offset, ProducerID: c.producer, ProducerEpoch: c.epoch,
		Sequence: c.sequence, LeaderEpoch: c.leader, Processing: c.processing, Txn: c.txn, Cause: cause,
	}
	if !e.Layout.ProducerOnly {
		by := e.IncarnationRef(c.Incarnation)
		ref.By = &by
	}
	return ref
}

// places says where copies are, and who wrote them.
func Places(e *rows.Row, copies []harness.CopyRef) string {
	text := ""
	for i, c := range copies[:min(len(copies), MaxExamples)] {
		if i > 0 {
			text += " and "
		}
		text += fmt.Sprintf("%s/%d offset %d", c.Topic, c.Partition, c.Offset)
		if !e.Layout.ProducerOnly {
			text += fmt.Sprintf(" (worker %d incarnation %d)", c.By.Worker, c.By.Incarnation)
		}
	}
	return text
}
