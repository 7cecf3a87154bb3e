package verifiers

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// takeOut takes batches out of a log's middle, and leaves their offsets empty.
func (l *topicLog) takeOut(from, to int) { l.batches = slices.Delete(l.batches, from, to) }

// delivers makes the live reader's n-th poll of a partition one of these offsets.
func (w *world) delivers(topic string, partition int32, n int, from, to int64) {
	for _, e := range w.hist("observer-live").entries {
		if s, ok := e.(*history.DeliveredLive); ok && s.Topic == topic && s.Partition == partition {
			if n--; n < 0 {
				s.From, s.To, s.Count, s.New = from, to, uint64(to-from), uint64(to-from)
				return
			}
		}
	}
}

// forgetInput takes everything away that shows that a batch was in the input: its acknowledgement, and its deliveries.
func (w *world) forgetInput(partition int32, batch int) {
	for _, e := range w.hist("source-input").entries {
		if a, ok := e.(*history.Acked); ok {
			a.Spans = slices.DeleteFunc(a.Spans, func(r history.AckSpan) bool { return r.Partition == partition && r.Offset == int64(batch*perBatch) })
		}
	}
	for _, name := range w.order {
		f := w.hist(name)
		f.entries = slices.DeleteFunc(f.entries, func(e history.Entry) bool {
			p, ok := e.(*history.Polled)
			return ok && p.Partition == partition && p.From == int64(batch*perBatch)
		})
	}
}

// plantedLogs are faults of the logs themselves, and of what was saved of them.
var plantedLogs = []planted{
	{"a batch taken out of the input", func(w *world) {
		w.log(inTopic, 1).takeOut(40, 41)
		w.log("out-"+plainName, 1).takeOut(40, 41)
		w.log("out-"+plainName, 1).renumber()
		w.log("out-"+plainName, 1).resequence(200)
	}, plainName, nil, harness.Violated, 3, "in/1: 10 records at offsets that are now missing were acknowledged or delivered, e.g. offset 400"},
	{"batches taken out of the input whose outputs are there", func(w *world) { w.log(inTopic, 1).takeOut(40, 43) }, plainName, nil,
		harness.Inconclusive, 3, "in/1: 30 offsets are missing though the log goes on after them, first 400 to 429"},
	{"a batch of the input that left no trace", func(w *world) {
		w.log(inTopic, 1).takeOut(40, 41)
		w.log("out-"+plainName, 1).takeOut(40, 41)
		w.log("out-"+plainName, 1).renumber()
		w.log("out-"+plainName, 1).resequence(200)
		w.forgetInput(1, 40)
	}, plainName, nil, harness.Inconclusive, 4, "in/1: 10 offsets are missing though the log goes on after them, first 400 to 409"},
	{"the first batch of the input", func(w *world) {
		w.log(inTopic, 2).takeOut(0, 1)
		w.log("out-"+plainName, 2).takeOut(0, 1)
	}, plainName, nil, harness.Violated, 3, "in/2: 10 records at offsets that are now missing were acknowledged or delivered, e.g. offset 0"},
	{"a log start that moved without a word", func(w *world) {
		w.log(inTopic, 2).takeOut(0, 1)
		w.log("out-"+plainName, 2).takeOut(0, 1)
		w.log("out-"+plainName, 2).renumber()
		w.log("out-"+plainName, 2).resequence(200)
		w.tweak = func(x *observation.Index) { x.Partition(inTopic, 2).LogStart = 10 }
	}, plainName, nil, harness.Violated, 3, "in/2: 10 records at offsets that are now missing were acknowledged or delivered, e.g. offset 0"},
	{"a hole in an output that the live reader was given", func(w *world) {
		w.log("out-"+txnName, 1).takeOut(80, 81)
		w.delivers("out-"+txnName, 1, 40, 440, 450)
	}, txnName, nil, harness.Violated, 3, "out-transactional/1: 10 records at offsets that are now missing were acknowledged or delivered, e.g. offset 440"},
	{"a record missing from the middle of a batch", func(w *world) { w.log(inTopic, 1).dropRecord(w.log(inTopic, 1).batches[40], 4) }, plainName, nil,
		harness.Inconclusive, 3, "in/1: 1 offsets are missing though the log goes on after them, first 404 to 404"},
	{"a batch that holds fewer records than it says", func(w *world) { w.log("out-"+plainName, 1).batches[40].Count-- }, plainName, nil,
		harness.Inconclusive, 4, "the batch at offset 400 claims 9 records, and its offsets are those of 10"},
	{"a batch that is there again at its own offsets", func(w *world) {
		l := w.log("out-"+plainName, 1)
		l.batches = slices.Insert(l.batches, 40, l.batches[40])
	}, plainName, nil, harness.Inconclusive, 4, "its offsets contradict each other: offset 400 comes after offset 409"},
	{"a record of the input that can't be decoded", func(w *world) { w.log(inTopic, 1).batches[40].Records[3].Status = 9 }, plainName, nil,
		harness.Inconclusive, 4, "in/1: its observation file can't be read to its end after 40 batches"},
	{"a record of the output that can't be decoded", func(w *world) { w.log("out-"+plainName, 1).batches[40].Records[3].Status = 9 }, plainName, func(n *figures) {
		n.Unique, n.Hidden = records-600, 600
	}, harness.Inconclusive, 4, "out-idempotent/1: its observation file can't be read to its end after 40 batches"},
	{"an index of fewer records than its file", func(w *world) {
		w.tweak = func(x *observation.Index) { x.Partition(inTopic, 1).Records = 4 }
	}, plainName, nil, harness.Inconclusive, 4, "in/1: the index claims 100 batches with 4 records, its observation file holds 100 with 1000"},
	{"an index of fewer batches than its file", func(w *world) {
		w.tweak = func(x *observation.Index) { x.Partition("out-"+plainName, 1).Batches-- }
	}, plainName, nil, harness.Inconclusive, 4, "out-idempotent/1: the index claims 99 batches with 1000 records"},
	{"an index that was read less far than its file", func(w *world) {
		w.tweak = func(x *observation.Index) { x.Partition("out-"+plainName, 1).Reached = 900 }
	}, plainName, nil, harness.Inconclusive, 4, "by the index it was read up to offset 900, its observation file ends at 1000"},
	{"an index with another number of committed records", func(w *world) {
		w.tweak = func(x *observation.Index) {
			p := x.Partition("out-"+txnName, 1)
			p.Committed = observation.Sum{Count: 990, Hash: "77"}
			p.Client = p.Committed
		}
	}, txnName, nil, harness.Inconclusive, 4, "the read-back counted 990 committed records, its observation file holds 1000"},
	{"a batch of an older leader epoch", func(w *world) {
		l := w.log("out-"+plainName, 1)
		for _, b := range l.batches[20:] {
			b.LeaderEpoch = 3
		}
		l.batches[50].LeaderEpoch = 2
	}, plainName, nil, harness.Violated, 3, "out-idempotent/1: 1 batches are of an older leader epoch than a batch before them, first at offset 500: epoch 2 after epoch 3"},
	{"older leader epochs in the input", func(w *world) {
		for _, b := range w.log(inTopic, 0).batches[:90] {
			b.LeaderEpoch = 3
		}
	}, txnName, nil, harness.Violated, 3, "in/0: 10 batches are of an older leader epoch"},
	{"an older leader epoch under the last marker", func(w *world) {
		l := w.log("out-"+txnName, 1)
		for _, b := range l.batches[:len(l.batches)-1] {
			b.LeaderEpoch = 1
		}
	}, txnName, nil, harness.Violated, 3, "out-transactional/1: 1 batches are of an older leader epoch"},
	{"a damaged batch that announces no records", func(w *world) {
		b := w.log("out-"+srcName, 1).batches[5]
		b.Damaged, b.Records, b.Count = true, nil, 0
	}, srcName, func(n *figures) {
		n.Unique, n.Lost, n.Corrupt, n.LostBy = records-perBatch, perBatch, perBatch, map[string]uint64{"acked but absent": perBatch}
	}, harness.Violated, 3, "10 output records are corrupt"},
}

// swap exchanges two records of a log with their identities and origins, and leaves the batches as they are.
func (l *topicLog) swap(batch, i, other, j int) {
	a, b := &l.batches[batch].Records[i], &l.batches[other].Records[j]
	*a, *b = *b, *a
	a.Offset, b.Offset = b.Offset, a.Offset
}

// plantedOrders are faults of the order in which a producer's records are in the log, and of their sequences.
var plantedOrders = []planted{
	{"two records of a producer swapped", func(w *world) { w.log("out-"+txnName, 1).swap(40, 4, 40, 5) }, txnName,
		func(n *figures) { n.Reordered = 1 }, harness.Held, 3, "out-transactional/1: 1 records come after one that the same producer sent later, first at offset 225"},
	{"two records of a producer swapped across batches", func(w *world) { w.log("out-"+txnName, 1).swap(40, 9, 42, 0) }, txnName,
		func(n *figures) { n.Reordered = 1 }, harness.Violated, 3, "out-transactional/1: 1 records come after one"},
	{"the first and the last record of a batch swapped", func(w *world) { w.log("out-"+txnName, 0).swap(0, 0, 0, 9) }, txnName,
		func(n *figures) { n.Reordered = 9 }, harness.Held, 3, "out-transactional/0: 9 records come after one that the same producer sent later, first at offset 1"},
	{"two records of the source swapped in the input", func(w *world) { w.log(inTopic, 2).swap(40, 4, 40, 5) }, txnName,
		nil, harness.Violated, 3, "in/2: 1 records come after one that the same producer sent later, first at offset 405"},
	{"two records of a row that does not claim order", func(w *world) { w.log("out-"+plainName, 1).swap(40, 4, 40, 5) }, plainName,
		func(n *figures) { n.Reordered = 1 }, harness.Held, 0, ""},
	{"two records of a row that claims to keep its order", func(w *world) {
		w.record.Plan.Pipelines[1].InOrder = true
		w.log("out-"+plainName, 1).swap(40, 4, 40, 5)
	}, plainName, func(n *figures) { n.Reordered = 1 }, harness.Held, 3, "out-idempotent/1: 1 records come after one"},
	{"outputs in another order than the input where that is declared", func(w *world) {
		w.record.Plan.Pipelines[1].InOrder, w.record.Plan.Pipelines[1].KeepsInputOrder = true, true
		a, b := w.log("out-"+plainName, 1).batches[40].Records, w.log("out-"+plainName, 1).batches[41].Records
		for i := range a {
			a[i].Processing, b[i].Processing = b[i].Processing, a[i].Processing
		}
		w.log("out-"+plainName, 1).batches[40].Records, w.log("out-"+plainName, 1).batches[41].Records = b, a
		w.log("out-"+plainName, 1).renumber()
	}, plainName, func(n *figures) { n.Reordered = perBatch }, harness.Held, 3, "10 outputs come after the output of a later input"},
	{"two records of an idempotent source swapped", func(w *world) {
		w.record.Plan.Pipelines[0].InOrder = true
		w.log("out-"+srcName, 1).swap(40, 4, 40, 5)
	}, srcName, nil, harness.Held, 3, "out-acks1/1: 1 records come after one"},
	{"a batch that skips sequences", func(w *world) {
		for _, b := range w.log("out-"+plainName, 1).batches[40:] {
			b.BaseSequence += 5
		}
	}, plainName, nil, harness.Held, 3, "out-idempotent/1: 1 batches don't follow their producer's batch before, first at offset 400, producer id 200: sequence 405 where 400 had to come"},
	{"a batch stored twice, and one that skips sequences", func(w *world) {
		l := w.log("out-"+plainName, 1)
		for _, b := range l.batches[40:] {
			b.BaseSequence += 5
		}
		again := *l.batches[30]
		again.Records = slices.Clone(again.Records)
		l.append(&again)
	}, plainName, nil, harness.Held, 3, "10 records are stored twice under one producer id, epoch and sequence"},
	{"a batch whose sequences begin too early", func(w *world) { w.log("out-"+txnName, 1).batches[40].BaseSequence -= 3 }, txnName, nil, harness.Held, 3,
		"out-transactional/1: 3 records are stored twice under one producer id, epoch and sequence"},
	{"a fenced producer's batch", func(w *world) {
		for _, b := range w.log("out-"+plainName, 1).batches {
			b.ProducerEpoch = 4
		}
		w.log("out-"+plainName, 1).batches[40].ProducerEpoch = 3
	}, plainName, nil, harness.Held, 3, "epoch 3 after epoch 4"},
	{"a batch of the input stored twice", func(w *world) {
		l := w.log(inTopic, 1)
		b := *l.batches[40]
		b.Records = slices.Clone(b.Records)
		l.append(&b)
		w.extra = w.positions()
	}, txnName, nil, harness.Violated, 3, "in/1: 10 records are stored twice under one producer id, epoch and sequence"},
	{"sequences that begin again at 0 after the largest", func(w *world) {
		for i, b := range w.log("out-"+plainName, 1).batches {
			b.BaseSequence = int32((int64(math.MaxInt32) - 404 + int64(i)*perBatch) & math.MaxInt32)
		}
	}, plainName, nil, harness.Held, 0, ""},
}

func TestPlantedOrders(t *testing.T) {
	for _, c := range plantedOrders {
		t.Run(c.name, c.try)
	}
}

// epochPerTransaction gives a log's batches a producer epoch for each transaction, and its marker the next one, as brokers do
// under transaction.version 2.
func (w *world) epochPerTransaction(version int) {
	w.record.Features = []harness.Feature{{Name: "transaction.version", Level: int16(version)}}
	for p := range int32(parts) {
		epoch := int16(0)
		for _, b := range w.log("out-"+txnName, p).batches {
			if b.Control {
				epoch++
			} else {
				b.BaseSequence = 0
			}
			b.ProducerEpoch = epoch
		}
	}
}

// plantedMarkers are control records that don't fit their data. Batch 2n is the data of transaction n+1, 2n+1 its marker.
var plantedMarkers = []planted{
	{"a producer epoch for each transaction", func(w *world) { w.epochPerTransaction(2) }, txnName, nil, harness.Held, 0, ""},
	{"a marker of an older producer epoch than its data", func(w *world) {
		w.epochPerTransaction(2)
		w.log("out-"+txnName, 1).batches[41].ProducerEpoch = 19
	}, txnName, nil, harness.Violated, 3, "out-transactional/1: 1 markers don't fit their data, first at offset 230, producer id 300: a marker of epoch 19 ends data of epoch 20"},
	{"a marker of another producer", func(w *world) { w.log("out-"+txnName, 1).batches[41].ProducerID = 999 }, txnName, nil,
		harness.Violated, 3, "data of transaction 22 of worker 0 in its open transaction 21"},
	{"a marker of another producer, by its epochs", func(w *world) {
		w.epochPerTransaction(2)
		w.log("out-"+txnName, 1).batches[41].ProducerID = 999
	}, txnName, nil, harness.Violated, 3, "1 open transactions hold two producer epochs, first at offset 231, producer id 300: data of epoch 21 in an open transaction of epoch 20"},
	{"a marker that comes after the next transaction's data", func(w *world) {
		l := w.log("out-"+txnName, 1)
		l.batches[41], l.batches[42] = l.batches[42], l.batches[41]
		l.renumber()
	}, txnName, nil, harness.Violated, 3, "data of transaction 22 of worker 0 in its open transaction 21"},
	{"a marker that comes before its data", func(w *world) {
		w.epochPerTransaction(2)
		l := w.log("out-"+txnName, 1)
		l.batches[40], l.batches[41] = l.batches[41], l.batches[40]
		l.renumber()
	}, txnName, nil, harness.Violated, 3, "in an open transaction of epoch 20"},
	{"a marker of an older coordinator epoch", func(w *world) {
		for _, b := range w.log("out-"+txnName, 1).batches {
			b.CoordinatorEpoch = 5
		}
		w.log("out-"+txnName, 1).batches[41].CoordinatorEpoch = 4
	}, txnName, nil, harness.Violated, 3, "a marker of coordinator epoch 4 after one of 5"},
}

func TestPlantedMarkers(t *testing.T) {
	for _, c := range plantedMarkers {
		t.Run(c.name, c.try)
	}
}

func TestPlantedLogs(t *testing.T) {
	for _, c := range plantedLogs {
		t.Run(c.name, c.try)
	}
}

// TestDeletionExcusesTheStart: a log whose start a fault moved has no hole there.
func TestDeletionExcusesTheStart(t *testing.T) {
	w := newWorld(records)
	w.log(inTopic, 2).takeOut(0, 1)
	f := w.fault(1000, 2000)
	f.Lasting = []harness.Lasting{{What: harness.LogStartMoved, Topic: inTopic, Partition: 2, To: 10}}
	w.tweak = func(x *observation.Index) { x.Partition(inTopic, 2).LogStart = 10 }
	row := rowOf(t, w.judge(t), plainName)
	require.Equal(t, harness.Held, row.Verdict(harness.AtLeastOnce), reasons(row))
	require.Zero(t, row.Numbers.Count("missingOffsets"))
}

// TestFileThatChanges: a file that can't be read a second time as it was the first time is an error, and no verdict.
func TestFileThatChanges(t *testing.T) {
	w := newWorld(records)
	dir := w.save(t)
	path := observation.File(dir, inTopic, 1)
	var places []int64
	_, _, err := observation.ReadSpans(path, func(b *observation.Batch) error {
		places = append(places, b.Place)
		return nil
	})
	require.NoError(t, err)
	require.NoError(t, observation.ReadSpansFrom(path, places[50], 50, func(*observation.Batch) {}))
	require.ErrorContains(t, observation.ReadSpansFrom(path, places[50], 51, func(*observation.Batch) {}), "can't be read again")
}
