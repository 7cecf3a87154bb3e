package verifiers

import (
	"cmp"
	"slices"

	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// copiesAtOnce bounds how many duplicated inputs are held while their copies are compared; more take another pass over
// the files, so that counts stay exact in bounded memory.
const copiesAtOnce = 200_000

// copyOf is one visible copy of an input in the output log.
type copyOf struct {
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
	// examples are the first duplicated inputs with all their copies.
	examples []example
}

type example struct {
	key    keyset.Key
	copies []copyOf
}

// The causes of a duplicate.
const (
	byBroker  = "broker"
	byResend  = "resend"
	byProcess = "reprocessed"
)

// maxExamples bounds how many anomalies of a kind are kept in full.
const maxExamples = 3

// trace reads the copies of every duplicated input again and says why each further one exists.
func trace(r *run, in *inputLog, e *evidence) (*provenance, error) {
	p := &provenance{by: map[string]uint64{}, same: map[life]map[int32]*fate{}}
	chunk := map[keyset.Key][]copyOf{}
	var failed error
	flush := func() bool {
		failed = p.chunk(r, in, e, chunk)
		clear(chunk)
		return failed == nil
	}
	e.out.again.Each(func(k keyset.Key) bool {
		chunk[k] = nil
		return len(chunk) < copiesAtOnce || flush()
	})
	if failed == nil && len(chunk) > 0 {
		flush()
	}
	return p, failed
}

func (p *provenance) chunk(r *run, in *inputLog, e *evidence, chunk map[keyset.Key][]copyOf) error {
	for _, log := range e.out.parts {
		if log.idle {
			continue
		}
		o := &outputReader{outputLog: newOutputLog(), run: r, layout: e.layout, log: log}
		for _, ids := range in.ids {
			o.cursors = append(o.cursors, cursor{ids: ids})
		}
		_, _, err := observation.ReadFile(log.path, false, func(b *observation.Batch) error {
			if !b.Damaged && log.visibility(b) == visible {
				collect(o, b, chunk)
			}
			return nil
		})
		if err != nil {
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

func collect(o *outputReader, b *observation.Batch, chunk map[keyset.Key][]copyOf) {
	for i := range b.Records {
		rec := &b.Records[i]
		key, kind := o.classify(rec)
		if kind != sound {
			continue
		}
		if copies, ok := chunk[key]; ok {
			chunk[key] = append(copies, copyOf{
				partition: o.log.at.partition, offset: rec.Offset, producer: b.ProducerID, epoch: b.ProducerEpoch, sequence: b.Sequence(rec.Offset),
				leader: b.LeaderEpoch, life: life{rec.Worker, rec.Incarnation}, processing: rec.Processing, txn: rec.Txn,
			})
		}
	}
}

// explain gives every copy but the first its cause, by the earlier ones.
func (p *provenance) explain(e *evidence, k keyset.Key, copies []copyOf) {
	for i := 1; i < len(copies); i++ {
		cause := causeOf(copies[i], copies[:i], e.layout.ProducerOnly)
		p.by[cause]++
		if cause != byProcess && copies[i].txn == 0 {
			counters(p.same, copies[i].life, copies[i].partition).visible++
		}
	}
	if len(p.examples) < maxExamples {
		p.examples = append(p.examples, example{k, copies})
	}
}

func causeOf(c copyOf, earlier []copyOf, producerOnly bool) string {
	cause := byProcess
	for _, o := range earlier {
		if c.sequence >= 0 && o.partition == c.partition && o.producer == c.producer && o.epoch == c.epoch && o.sequence == c.sequence {
			return byBroker
		}
		if producerOnly || o.life == c.life && o.processing == c.processing {
			cause = byResend
		}
	}
	return cause
}
