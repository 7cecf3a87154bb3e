package verifiers

import (
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/saved"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// drawReread has a worker of a row read some of an input partition again: a new life of the same worker, another worker, or
// the first one by itself, assigned the partition again or not. What it then says of its outputs is drawn, too.
func drawReread(t *rapid.T, w *world, pipeline string) {
	p := int32(rapid.IntRange(0, parts-1).Draw(t, "partition"))
	var in observation.Batch
	from := rapid.Int64Range(0, drawnRecords/parts-1).Draw(t, "from")
	to := from + rapid.Int64Range(1, 12).Draw(t, "length")
	for _, b := range w.log(inTopic, p).batches {
		for _, r := range b.Records {
			if r.Offset >= from && r.Offset < to && r.Status == observation.Input {
				in.Records = append(in.Records, r)
			}
		}
	}
	if len(in.Records) == 0 {
		return
	}
	by := rapid.SampledFrom([]txns.Incarnation{txns.Of(0, 1), txns.Of(0, 2), txns.Of(1, 1)}).Draw(t, "life")
	f := w.lifeOf(pipeline, by)
	now := at(uint64(rapid.IntRange(1, 200).Draw(t, "at"))).Add(time.Duration(len(f.entries)))
	if rapid.Bool().Draw(t, "given") {
		f.add(&history.Assigned{Stamp: history.At(now), Generation: int32(len(f.entries)), Partitions: []int32{p}})
	} else if rapid.Bool().Draw(t, "taken") {
		f.add(&history.Revoked{Stamp: history.At(now), Partitions: []int32{p}})
	}
	// Ordinals go up with a life's entries, and no two deliveries of one life share one.
	processing := uint64(1000 * (1 + len(f.entries)))
	if rapid.IntRange(0, 3).Draw(t, "mentioned") > 0 {
		f.add(&history.Polled{Stamp: history.At(now), Partition: p, From: from, To: to, Count: uint64(len(in.Records)), Processing: processing})
	}
	w.write(t, pipeline, f, output(&in, p, by, processing, 0), now)
}

// lifeOf is the history of one life of a row's worker, which may be new.
func (w *world) lifeOf(pipeline string, by txns.Incarnation) *histFile {
	for _, f := range w.files {
		if f.record.Pipeline == pipeline && f.record.Role == saved.RoleWorker && f.record.Number == int(by.Worker) && f.record.Incarnation == int(by.Number) {
			return f
		}
	}
	return w.addHist(pipeline+"-"+string(rune('0'+by.Worker))+"."+string(rune('0'+by.Number)), saved.RoleWorker, pipeline, int(by.Worker), int(by.Number))
}

// write stores a delivery's outputs as the row does, in a transaction of their own where it has such.
func (w *world) write(t *rapid.T, pipeline string, f *histFile, records []observation.Record, now history.Time) {
	layout := w.layoutOf(pipeline)
	said := &history.Outputs{Stamp: history.At(now), Outcome: drawOutcome(t)}
	if layout.Transactional {
		said.Txn = uint64(100 + len(f.entries))
		f.add(&history.TxnBegin{Stamp: history.At(now), Txn: said.Txn})
		for i := range records {
			records[i].Txn = said.Txn
		}
	}
	for number := records[0].Partition; number < int32(parts*len(layout.Outputs())); number += parts {
		topic, p := layout.Place(number, parts)
		said.Counts = append(said.Counts, history.PartitionCount{Partition: number, Count: uint64(len(records))})
		for range rapid.IntRange(1, 2).Draw(t, "times") {
			w.log(topic, p).drawBatch(t, transactional(topic), records)
		}
	}
	f.add(said)
	if said.Txn != 0 && rapid.Bool().Draw(t, "asks to commit") {
		f.add(&history.TxnEnding{Stamp: history.At(now), Txn: said.Txn, Commit: true})
		if rapid.Bool().Draw(t, "is answered") {
			f.add(&history.TxnEnded{Stamp: history.At(now), Txn: said.Txn, Commit: true, Outcome: drawOutcome(t)})
		}
	}
}

// drawBatch stores records as some producer's batch, or without a producer, as side effects are.
func (l *topicLog) drawBatch(t *rapid.T, inTxn bool, records []observation.Record) {
	b := &observation.Batch{ProducerID: int64(rapid.IntRange(310, 312).Draw(t, "pid")), ProducerEpoch: 1, Transactional: inTxn, Records: slices.Clone(records)}
	if !inTxn && rapid.Bool().Draw(t, "no producer") {
		b.ProducerID, b.ProducerEpoch, b.BaseSequence = -1, -1, -1
	}
	l.append(b)
	if m := rapid.IntRange(0, 2).Draw(t, "marker"); inTxn && m > 0 {
		end := marker(b.ProducerID, observation.Marker(m))
		end.ProducerEpoch = b.ProducerEpoch
		l.append(end)
	}
}

func (w *world) layoutOf(pipeline string) harness.PipelineLayout {
	for _, l := range w.record.Plan.Pipelines {
		if l.Name == pipeline {
			return l
		}
	}
	panic("no pipeline " + pipeline)
}
