package verifiers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// copiesAtOnce bounds how many duplicated inputs are held while their copies are compared; more take another pass over
// the files, so that counts stay exact in bounded memory. Tests make it small.
var copiesAtOnce = 50_000

// copyOf is one visible copy of an input in the output log.
type copyOf struct {
	// partition is the output partition's number.
	partition int32
	offset    int64
	producer  int64
	epoch     int16
	sequence  int32
	leader    int32
	life
	processing, txn uint64
}

// provenance is why duplicates exist.
type provenance struct {
	by map[string]uint64
	// same counts, by worker's life and output partition, further copies of one processing.
	same map[life]map[int32]*fate
	// anomalies are the first duplicated inputs with all their copies; rereads what led to second deliveries.
	anomalies []harness.Anomaly
	charged   rereads
	rereads   []harness.Reread
	// handed are the deliveries of the inputs in hand, where the row is a share group's.
	handed handOuts
}

// The causes of a duplicate.
const (
	// byBroker: the same producer id, epoch and record sequence stored twice.
	byBroker = "broker"
	// One processing of a record stored several times: without a producer id nobody can tell; with another id or epoch the
	// broker could not; under one id and epoch the producer gave the record a new sequence.
	byResend       = "resend without producer id"
	byResendAcross = "resend across producer ids"
	byResendWithin = "resend under one producer id"
	// byCall: the external service was called again for one processing of a record, and stored it again.
	byCall = "called again"
	// byProcess is a second delivery; after it comes why, where the histories tell.
	byProcess = "reprocessed"
)

// maxExamples bounds how many anomalies of a kind are kept in full.
const maxExamples = 3

// trace reads the copies of every duplicated input again and says why each further one exists.
func trace(e *row) (*provenance, error) {
	p := &provenance{by: map[string]uint64{}, same: map[life]map[int32]*fate{}}
	chunk := map[keyset.Key][]copyOf{}
	var failed error
	flush := func() bool {
		failed = p.chunk(e, chunk)
		clear(chunk)
		return failed == nil
	}
	e.out.again.Compact() // partitions are read at the same time
	e.out.again.Each(func(k keyset.Key) bool {
		chunk[k] = nil
		return len(chunk) < copiesAtOnce || flush()
	})
	if failed == nil && len(chunk) > 0 {
		flush()
	}
	if failed == nil {
		p.rereads, failed = p.charged.settle(e)
	}
	for i := range p.anomalies {
		a := &p.anomalies[i]
		a.Text = fmt.Sprintf("%s is there %d times (%s): %s", e.name(recordKey(a.Record, e)), len(a.Copies), a.Cause, places(e, a.Copies))
		for _, x := range rereadsOf(a.Copies) {
			a.Text += "; " + x.Text
		}
	}
	return p, failed
}

func (p *provenance) chunk(e *row, chunk map[keyset.Key][]copyOf) error {
	if err := findCopies(e, chunk, e.out.again, visible); err != nil {
		return err
	}
	if e.layout.ShareGroup {
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
	copyOf
}

// findCopies reads the row's output again for the copies of some inputs, all of them in among, that stand as asked.
func findCopies(e *row, wanted map[keyset.Key][]copyOf, among *keyset.Set, stand visibility) error {
	if len(wanted) == 0 {
		return nil
	}
	found := make([][]keyedCopy, len(e.out.parts))
	err := parallel(len(e.out.parts), func(i int) (err error) {
		o := newOutputReader(e.run, e.in, e.layout, e.out.parts[i])
		found[i], err = collect(o, among, stand, wanted)
		return err
	})
	if err != nil {
		return err
	}
	for _, of := range found {
		for _, x := range of {
			wanted[x.key] = append(wanted[x.key], x.copyOf)
		}
	}
	return nil
}

// collect reads one partition for the copies of wanted inputs.
func collect(o *outputReader, among *keyset.Set, stand visibility, wanted map[keyset.Key][]copyOf) (found []keyedCopy, err error) {
	if o.log.idle {
		return nil, nil
	}
	partitions := o.run.record.Plan.Partitions
	may := func(x *stretch) bool { return x.holdsAny(among, o.layout.ProducerOnly, partitions) }
	err = o.log.readWhere(may, func(b *observation.Batch) {
		if b.Damaged || o.log.visibility(b) != stand {
			return
		}
		for i := range b.Runs {
			r := &b.Runs[i]
			if class, from, ok := o.orderly(r); ok && !among.HasAny(class, from, from+uint64(r.Count)) {
				continue
			}
			for j := range r.Count {
				rec := r.At(j)
				key, kind := o.classify(&rec)
				if _, asked := wanted[key]; kind != sound || !asked {
					continue
				}
				found = append(found, keyedCopy{key, copyOf{
					partition: o.log.number, offset: rec.Offset, producer: b.ProducerID, epoch: b.ProducerEpoch, sequence: b.Sequence(rec.Offset),
					leader: b.LeaderEpoch, life: life{rec.Worker, rec.Incarnation}, processing: rec.Processing, txn: rec.Txn,
				}})
			}
		}
	})
	return found, err
}

// explain gives every copy but the first its cause, by the earlier ones.
func (p *provenance) explain(e *row, k keyset.Key, copies []copyOf) {
	a := harness.Anomaly{Kind: harness.AnomalyDuplicate, Record: e.recordRef(k)}
	for i, c := range copies {
		cause, reread := "", (*harness.Reread)(nil)
		if i > 0 {
			cause, reread = p.cause(e, k, c, copies[:i])
			p.by[cause]++
			a.Cause = cmp.Or(a.Cause, cause)
			if !strings.HasPrefix(cause, byProcess) && (c.txn == 0 || e.layout.Effects) {
				counters(p.same, c.life, c.partition).visible++
			}
		}
		ref := copyRef(e, c, cause)
		ref.Reread = reread
		a.Copies = append(a.Copies, ref)
	}
	if len(p.anomalies) < e.keep.most || e.asked[k] {
		p.anomalies = append(p.anomalies, a)
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
func (p *provenance) cause(e *row, k keyset.Key, c copyOf, earlier []copyOf) (cause string, by *harness.Reread) {
	for _, o := range earlier {
		switch same := e.layout.ProducerOnly || o.life == c.life && o.processing == c.processing; {
		case c.producer >= 0 && c.sequence >= 0 && o.partition == c.partition && o.producer == c.producer && o.epoch == c.epoch && o.sequence == c.sequence:
			return byBroker, nil
		case same && e.layout.Effects:
			cause = byCall
		case same && (o.producer < 0 || c.producer < 0):
			cause = byResend
		case same && (o.producer != c.producer || o.epoch != c.epoch):
			cause = cmp.Or(cause, byResendAcross)
		case same:
			cause = cmp.Or(cause, byResendWithin)
		}
	}
	if cause != "" {
		return cause, nil
	}
	if e.layout.ShareGroup {
		return byProcess + " after " + rereadRedelivery, p.charged.redelivered(e, k, c, p.handed)
	}
	why, by := p.charged.note(e, e.inputOf(k.Class), earlier[len(earlier)-1], c)
	if why == "" {
		return byProcess, nil
	}
	return byProcess + " after " + why, by
}

func copyRef(e *row, c copyOf, cause string) harness.CopyRef {
	at := e.at(c.partition)
	ref := harness.CopyRef{
		Topic: at.topic, Partition: at.partition, Offset: c.offset, ProducerID: c.producer, ProducerEpoch: c.epoch,
		Sequence: c.sequence, LeaderEpoch: c.leader, Processing: c.processing, Txn: c.txn, Cause: cause,
	}
	if !e.layout.ProducerOnly {
		by := e.lifeOf(c.life)
		ref.By = &by
	}
	return ref
}

// places says where copies are, and who wrote them.
func places(e *row, copies []harness.CopyRef) string {
	text := ""
	for i, c := range copies[:min(len(copies), maxExamples)] {
		if i > 0 {
			text += " and "
		}
		text += fmt.Sprintf("%s/%d offset %d", c.Topic, c.Partition, c.Offset)
		if !e.layout.ProducerOnly {
			text += fmt.Sprintf(" (worker %d incarnation %d)", c.By.Worker, c.By.Incarnation)
		}
	}
	return text
}
