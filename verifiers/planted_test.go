package verifiers

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/checks"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// eachRecord calls fn with every n-th record of a row's output, and returns how many there were.
func (w *world) eachRecord(pipeline string, n int, fn func(l *topicLog, b *observation.Batch, i int)) (count uint64) {
	seen := 0
	for p := range int32(parts) {
		l := w.log("out-"+pipeline, p)
		for _, b := range l.batches {
			for i := len(b.Records) - 1; i >= 0; i-- {
				if seen++; seen%n == 0 {
					fn(l, b, i)
					count++
				}
			}
		}
	}
	return count
}

func (w *world) dropEach(pipeline string, n int) uint64 {
	return w.eachRecord(pipeline, n, func(l *topicLog, b *observation.Batch, i int) { l.dropRecord(b, i) })
}

// doubleEach writes a copy of each n-th record at the log's end, as another incarnation would.
func (w *world) doubleEach(pipeline string, n int) uint64 {
	var copies []func()
	count := w.eachRecord(pipeline, n, func(l *topicLog, b *observation.Batch, i int) {
		rec := b.Records[i]
		rec.Incarnation++
		rec.Processing = 1
		copies = append(copies, func() { l.append(&observation.Batch{ProducerID: 999, Records: []observation.Record{rec}}) })
	})
	for _, c := range copies {
		c()
	}
	return count
}

// reread lets another life process the last batch of input partition 1 again: its predecessor's commit of it is taken away.
func (w *world) reread(name string, number, incarnation int, generation int32) {
	before := w.hist("idempotent-0")
	before.record.Killed, before.noEnd = true, true
	in := w.log(inTopic, 1).batches[99]
	var kept []history.Entry
	for _, e := range before.entries {
		switch e := e.(type) {
		case *history.Committing:
			if e.Offsets[0] == (history.PartitionOffset{Partition: 1, Offset: 1000}) {
				continue
			}
		case *history.Committed:
			if e.Offsets[0] == (history.PartitionOffset{Partition: 1, Offset: 1000}) {
				continue
			}
		}
		kept = append(kept, e)
	}
	before.entries = kept
	after := w.addHist(name+".again", "worker", plainName, number, incarnation)
	after.record.Process, after.process.Name = name, name
	after.add(&history.Assigned{Stamp: history.At(at(3000)), Generation: generation, Partitions: []int32{1}}, &history.Polled{Stamp: history.At(at(3010)), Partition: 1, From: in.First, To: in.Last + 1, Count: perBatch, Processing: 1})
	w.log("out-"+plainName, 1).append(&observation.Batch{ProducerID: 201, Records: output(in, 1, txns.Of(uint16(number), uint32(incarnation)), 1, 0)})
	offsets := []history.PartitionOffset{{Partition: 1, Offset: 1000}}
	after.add(&history.Outputs{Stamp: history.At(at(3020)), Outcome: history.OutcomeConfirmed, Counts: []history.PartitionCount{{Partition: 1, Count: perBatch}}},
		&history.Committing{Stamp: history.At(at(3020)), Offsets: offsets}, &history.Committed{Stamp: history.At(at(3020)), Outcome: history.OutcomeConfirmed, Offsets: offsets})
}

// lowWatermark keeps a partition's sampled high watermark at or below an offset.
func (w *world) lowWatermark(topic string, partition int32, offset int64) {
	for _, e := range w.hist("observer-samples").entries {
		if s, ok := e.(*history.Sample); ok && s.Topic == topic && s.Partition == partition {
			s.HW = min(s.HW, offset)
			s.LSO = s.HW
		}
	}
}

// lateAcks moves the acknowledgements of offsets from one on behind everything that the samples saw.
func (w *world) lateAcks(pipeline string, partition int32, from int64) {
	for _, e := range w.hist("source-" + pipeline).entries {
		if a, ok := e.(*history.Acked); ok {
			for _, r := range a.Spans {
				if r.Partition == partition && r.Offset >= from {
					a.At = at(9000)
				}
			}
		}
	}
}

// sampled means that a read_committed client was asked for a few records, and saw n of them.
func (w *world) sampled(saw uint64) {
	w.tweak = func(x *observation.Index) {
		p := x.Partition("out-"+txnName, 1)
		p.Committed = observation.Sum{Count: records / parts, Hash: "77"}
		p.Checked = []observation.Range{{From: 5, To: 9, Committed: observation.Sum{Count: 3, Hash: "00"}, Client: observation.Sum{Count: saw, Hash: "00"}}}
	}
}

// endUnknown makes the end of a transaction one that its worker never learnt, and the log's markers aborts.
func (w *world) endUnknown(n uint64) {
	for _, e := range w.hist("transactional-0").entries {
		if x, ok := e.(*history.TxnEnded); ok && x.Txn == n {
			x.Outcome = history.OutcomeUnknown
		}
		if x, ok := e.(*history.Committed); ok && x.Txn == n {
			x.Outcome = history.OutcomeUnknown
		}
	}
	for p := range int32(parts) {
		w.log("out-"+txnName, p).batches[2*n-1].Marker = observation.MarkerAbort
	}
}

// refuse makes the commit of a transaction one that was refused, as a worker records that.
func (w *world) refuse(n uint64) {
	const reason = "PRODUCER_FENCED: There is a newer producer with the same transactionalId which fences the current one."
	for _, e := range w.hist("transactional-0").entries {
		switch x := e.(type) {
		case *history.TxnEnded:
			if x.Txn == n {
				x.Outcome, x.Reason = history.OutcomeFailed, reason
			}
		case *history.Committed:
			if x.Txn == n {
				x.Outcome, x.Reason = history.OutcomeFailed, reason
			}
		}
	}
}

// addAgain lets the worker process a transaction's inputs again in another one, as a new session does.
func (w *world) addAgain(n uint64) {
	const again = 500
	f := w.hist("transactional-0")
	outputs := &history.Outputs{Stamp: history.At(at(2999)), Txn: again, Outcome: history.OutcomeConfirmed}
	for p := range int32(parts) {
		l := w.log("out-"+txnName, p)
		b := l.append(&observation.Batch{ProducerID: 301, Transactional: true, Records: output(w.log(inTopic, p).batches[n-1], p, txns.Of(0, 1), 9000+uint64(p)*perBatch, again)})
		outputs.Counts = append(outputs.Counts, history.PartitionCount{Partition: p, Count: uint64(len(b.Records))})
		l.append(marker(301, observation.MarkerCommit))
	}
	f.add(&history.TxnBegin{Stamp: history.At(at(2999)), Txn: again}, outputs, &history.TxnEnding{Stamp: history.At(at(2999)), Txn: again, Commit: true},
		&history.TxnEnded{Stamp: history.At(at(2999)), Txn: again, Commit: true, Outcome: history.OutcomeConfirmed})
}

// leaveOpen takes the last transaction's markers away; the brokers tell its state so, 90 s after it began.
func (w *world) leaveOpen(state string, timeout int32) {
	for p := range int32(parts) {
		l := w.log("out-"+txnName, p)
		l.batches = l.batches[:len(l.batches)-1]
		l.next--
	}
	w.record.Cluster.Bootstrap = []string{"127.0.0.1:9092"}
	for _, e := range w.hist("observer-samples").entries {
		s := e.(*history.Sample)
		if s.Topic == "out-"+txnName {
			s.HW = min(s.HW, 1089)
			s.LSO = s.HW
		}
	}
	w.tweak = func(x *observation.Index) {
		for i := range x.Partitions {
			for j := range x.Partitions[i].Open {
				o := &x.Partitions[i].Open[j]
				o.State, o.TimeoutMillis, o.Coordinator, o.StartMillis, o.LastTimestamp, o.AskedMillis = state, timeout, 2, 1_000_000, 1_004_500, 1_090_000
				if state == "" {
					o.TransactionalID, o.Coordinator = "", -1
				}
			}
		}
	}
}

// planted is one mutation of a clean run, and what must come of it.
type planted struct {
	name string
	do   func(w *world)
	row  string
	// want changes a clean row's numbers to those expected.
	want func(n *figures)
	// verdict is the claim's, exit the run's, says a part of a reason or note.
	verdict harness.Verdict
	exit    int
	says    string
}

func u(n uint64) *uint64 { return &n }

var plantedFaults = []planted{
	{"each 1000th output dropped", func(w *world) { w.dropEach(plainName, 1000) }, plainName, func(n *figures) {
		n.Unique, n.Lost, n.LostBy, n.NeverLive = records-3, 3, map[string]uint64{"acked but absent": 3}, 0
	}, harness.Violated, 3, "3 of 3,000 committed inputs have no visible output"},
	{"each 1000th output never produced", func(w *world) {
		w.dropEach(plainName, 1000)
		short := map[int32]uint64{0: 1, 1: 1, 2: 1}
		for _, e := range w.hist("idempotent-0").entries {
			if o, ok := e.(*history.Outputs); ok {
				o.Counts[0].Count -= short[o.Counts[0].Partition]
				short[o.Counts[0].Partition] = 0
			}
		}
	}, plainName, func(n *figures) { n.Unique, n.Lost, n.LostBy = records-3, 3, map[string]uint64{"skipped": 3} },
		harness.Violated, 3, "passed by idempotent-0 (incarnation 1) committing"},
	{"each 1000th output doubled by another incarnation", func(w *world) {
		w.doubleEach(plainName, 1000)
		w.addHist("idempotent-0.2", "worker", plainName, 0, 2)
	}, plainName, func(n *figures) {
		n.Duplicates, n.DuplicatedInputs, n.DuplicatesBy = 3, 3, map[string]uint64{"reprocessed": 3}
	}, harness.Held, 0, "3 extra copies of 3 inputs"},
	{"a batch stored twice with its sequences", func(w *world) {
		l := w.log("out-"+plainName, 1)
		b := *l.batches[4]
		b.Records = append([]observation.Record(nil), b.Records...)
		l.append(&b)
	}, plainName, func(n *figures) {
		n.Duplicates, n.DuplicatedInputs, n.DuplicatesBy = perBatch, perBatch, map[string]uint64{"broker": perBatch}
	}, harness.Held, 3, "(broker 10)"},
	{"a batch sent again without idempotence", func(w *world) {
		l := w.log("out-"+plainName, 1)
		l.append(&observation.Batch{ProducerID: -1, Records: append([]observation.Record(nil), l.batches[4].Records...)})
	}, plainName, func(n *figures) {
		n.Duplicates, n.DuplicatedInputs, n.DuplicatesBy = perBatch, perBatch, map[string]uint64{"resend without producer id": perBatch}
	}, harness.Held, 0, "(resend without producer id 10)"},
	{"a batch sent again under a new producer epoch", func(w *world) {
		l := w.log("out-"+plainName, 1)
		l.append(&observation.Batch{ProducerID: 200, ProducerEpoch: 1, Records: append([]observation.Record(nil), l.batches[4].Records...)})
	}, plainName, func(n *figures) {
		n.Duplicates, n.DuplicatedInputs, n.DuplicatesBy = perBatch, perBatch, map[string]uint64{"resend across producer ids": perBatch}
	}, harness.Held, 0, "(resend across producer ids 10)"},
	{"a batch produced twice by one producer", func(w *world) {
		l := w.log("out-"+plainName, 1)
		l.append(&observation.Batch{ProducerID: 200, Records: append([]observation.Record(nil), l.batches[4].Records...)})
	}, plainName, func(n *figures) {
		n.Duplicates, n.DuplicatedInputs, n.DuplicatesBy = perBatch, perBatch, map[string]uint64{"resend under one producer id": perBatch}
	}, harness.Held, 0, "(resend under one producer id 10)"},
	{"copies in two partitions", func(w *world) {
		w.log("out-"+plainName, 2).append(&observation.Batch{ProducerID: 999, Records: append([]observation.Record(nil), w.log("out-"+plainName, 1).batches[4].Records...)})
	}, plainName, func(n *figures) {
		n.Duplicates, n.DuplicatedInputs, n.DuplicatesBy = perBatch, perBatch, map[string]uint64{"resend across producer ids": perBatch}
	}, harness.Held, 0, "out-idempotent/1 offset 40"},
	{"a worker killed and restarted between output and commit", func(w *world) { w.reread("idempotent-0", 0, 2, 2) }, plainName, func(n *figures) {
		n.Duplicates, n.DuplicatedInputs, n.DuplicatesBy = perBatch, perBatch, map[string]uint64{"reprocessed after restart": perBatch}
	}, harness.Held, 0, "10 duplicates after a restart: idempotent-0 (incarnation 2), assigned input partition 1 in generation 2 at 3.0s, began again at offset 990, " +
		"the offset that idempotent-0 (incarnation 1) had committed at 2.9s; idempotent-0 (incarnation 1) had processed them and was killed"},
	{"a partition moved to another worker before the commit", func(w *world) { w.reread("idempotent-1", 1, 1, 3) }, plainName, func(n *figures) {
		n.Duplicates, n.DuplicatedInputs, n.DuplicatesBy = perBatch, perBatch, map[string]uint64{"reprocessed after rebalance": perBatch}
	}, harness.Held, 0, "10 duplicates after a rebalance: idempotent-1 (incarnation 1), assigned input partition 1 in generation 3"},
	{"a zombie's commit after its partition was given away", func(w *world) {
		w.reread("idempotent-1", 1, 1, 3)
		f := w.hist("idempotent-1.again")
		for _, e := range f.entries {
			if p, ok := e.(*history.Polled); ok {
				p.At = at(3500)
			}
		}
		w.hist("idempotent-0").add(&history.Committed{Stamp: history.At(at(3200)), Outcome: history.OutcomeConfirmed, Offsets: []history.PartitionOffset{{Partition: 1, Offset: 1000}}})
	}, plainName, func(n *figures) {
		n.Duplicates, n.DuplicatedInputs, n.DuplicatesBy = perBatch, perBatch, map[string]uint64{"reprocessed after rebalance": perBatch}
	}, harness.Held, 0, "began again at offset 990, the offset that idempotent-0 (incarnation 1) had committed at 2.9s"},
	{"a worker that goes back by itself", func(w *world) {
		f := w.hist("idempotent-0")
		in := w.log(inTopic, 1).batches[99]
		f.add(polled(in, 1, 4000))
		w.log("out-"+plainName, 1).append(&observation.Batch{ProducerID: 200, Records: output(in, 1, txns.Of(0, 1), 4000, 0)})
		f.add(&history.Outputs{Outcome: history.OutcomeConfirmed, Counts: []history.PartitionCount{{Partition: 1, Count: perBatch}}})
	}, plainName, func(n *figures) {
		n.Duplicates, n.DuplicatedInputs, n.DuplicatesBy = perBatch, perBatch, map[string]uint64{"reprocessed after rewind": perBatch}
	}, harness.Held, 0, "10 duplicates after a rewind: idempotent-0 (incarnation 1)"},
	{"acknowledged and not stored", func(w *world) { w.dropEach(srcName, 1000) }, srcName, func(n *figures) {
		n.Unique, n.Lost, n.LostBy = records-3, 3, map[string]uint64{"acked but absent": 3}
	}, harness.Violated, 3, "3 of 3,000 acknowledged records are not in the log (acked but absent 3), e.g. source 1 sequence 2970 acked at out-acks1/0 offset 990 (nothing is there now)"},
	{"an ack names an offset that another record holds", func(w *world) {
		l := w.log("out-"+srcName, 0)
		l.batches[9].Records[0] = l.batches[20].Records[0]
		l.batches[9].Records[0].Offset = l.batches[9].First
		l.dropRecord(l.batches[20], 0)
	}, srcName, func(n *figures) {
		n.Unique, n.Lost, n.LostBy, n.Reordered = records-1, 1, map[string]uint64{"truncated": 1}, 99+10
	}, harness.Violated, 3, "source 1 sequence 270 acked at out-acks1/0 offset 90 (now held by sequence 600 of leader epoch 0)"},
	{"a lost tail", func(w *world) {
		l := w.log("out-"+srcName, 2)
		l.batches = l.batches[:70]
		l.renumber()
		w.hist("observer-samples").entries = nil
	}, srcName, func(n *figures) {
		n.Unique, n.Lost, n.LostBy = records-300, 300, map[string]uint64{"acked but absent": 300}
		n.LSOStalls, n.LongestStall, n.TotalStall = nil, nil, nil
	}, harness.Violated, 3, "the log ends at 700"},
	{"a tail that a live reader saw and that is gone", func(w *world) {
		l := w.log("out-"+srcName, 2)
		l.batches = l.batches[:70]
		l.renumber()
		w.hist("observer-samples").entries = nil
		w.hist("observer-live").add(&history.DeliveredLive{Stamp: history.At(at(2999)), Topic: "out-" + srcName, Partition: 2, From: 0, To: 900})
	}, srcName, func(n *figures) {
		n.Unique, n.Lost, n.LostBy = records-300, 300, map[string]uint64{"acked but absent": 100, "truncated": 200}
		n.LSOStalls, n.LongestStall, n.TotalStall = nil, nil, nil
	}, harness.Violated, 3, "out-acks1/2: offsets 700 to 899 were below the high watermark"},
	{"a tail rewritten under a newer leader epoch", func(w *world) {
		l := w.log("out-"+srcName, 2)
		l.batches = l.batches[:70]
		l.renumber()
		for range 30 {
			l.append(&observation.Batch{ProducerID: 101, BaseSequence: -1, LeaderEpoch: 5})
		}
		for _, b := range l.batches[70:] {
			b.Records, b.Control, b.Marker, b.Transactional = nil, true, observation.MarkerAbort, true
		}
	}, srcName, func(n *figures) {
		n.Unique, n.Lost, n.LostBy = records-300, 300, map[string]uint64{"truncated": 300}
	}, harness.Violated, 3, "out-acks1/2: offsets 700 to 999 were below the high watermark"},
	{"a lost prefix", func(w *world) {
		l := w.log("out-"+srcName, 2)
		l.batches = l.batches[10:]
		w.tweak = func(x *observation.Index) { x.Partition("out-"+srcName, 2).LogStart = 100 }
	}, srcName, func(n *figures) {
		n.Unique, n.Lost, n.LostBy = records-100, 100, map[string]uint64{"deleted": 100}
	}, harness.Violated, 3, "out-acks1/2 starts at offset 100, and no fault deletes records"},
	{"a prefix that a recorded fault deleted", func(w *world) {
		l := w.log("out-"+srcName, 2)
		l.batches = l.batches[10:]
		w.tweak = func(x *observation.Index) { x.Partition("out-"+srcName, 2).LogStart = 100 }
		f := w.fault(1000, 2000)
		f.Fault, f.Lasting = "delete-records", []harness.Lasting{{What: harness.LogStartMoved, Topic: "out-" + srcName, Partition: 2, To: 100}}
	}, srcName, func(n *figures) {
		n.Unique, n.Lost, n.LostBy = records-100, 100, map[string]uint64{"deleted": 100}
		n.Recovery, n.RecoveryFromHeal = new(10*time.Millisecond), new(time.Duration(0))
	}, harness.Violated, 3, "out-acks1/2 starts at offset 100: moved by delete-records leader of output/0"},
	{"a log start that moved further than the recorded fault moved it", func(w *world) {
		l := w.log("out-"+srcName, 2)
		l.batches = l.batches[10:]
		w.tweak = func(x *observation.Index) { x.Partition("out-"+srcName, 2).LogStart = 100 }
		f := w.fault(1000, 2000)
		f.Fault, f.Lasting = "delete-records", []harness.Lasting{{What: harness.LogStartMoved, Topic: "out-" + srcName, Partition: 2, To: 99}}
	}, srcName, nil, harness.Violated, 3, "out-acks1/2 starts at offset 100, and no fault deletes records"},
	{"outputs deleted under a pipeline", func(w *world) {
		l := w.log("out-"+plainName, 2)
		l.batches = l.batches[10:]
		w.tweak = func(x *observation.Index) { x.Partition("out-"+plainName, 2).LogStart = 100 }
	}, plainName, func(n *figures) {
		n.Unique, n.Lost, n.LostBy = records-100, 100, map[string]uint64{"deleted": 100}
	}, harness.Violated, 3, "out-idempotent/2 starts at offset 100, and no fault deletes records, passed by idempotent-0 (incarnation 1) committing 10 at"},
	{"outputs truncated under a pipeline", func(w *world) {
		l := w.log("out-"+plainName, 2)
		l.batches = l.batches[:97]
		l.renumber()
		for range 30 {
			l.append(&observation.Batch{LeaderEpoch: 5, ProducerID: 55, Control: true, Transactional: true, Marker: observation.MarkerAbort})
		}
	}, plainName, func(n *figures) {
		n.Unique, n.Lost, n.LostBy = records-30, 30, map[string]uint64{"truncated": 30}
	}, harness.Violated, 3, "truncated between leader epochs 0 and 5 (high watermark)"},
	{"a tail that only the old leader's log end showed", func(w *world) {
		l := w.log("out-"+srcName, 2)
		l.batches = l.batches[:97]
		l.renumber()
		l.append(&observation.Batch{LeaderEpoch: 5, ProducerID: 55, Control: true, Transactional: true, Marker: observation.MarkerAbort})
		w.lowWatermark("out-"+srcName, 2, 970)
		w.hist("observer-samples").add(&history.LogEnd{Stamp: history.At(at(2990)), Topic: "out-" + srcName, Partition: 2, Broker: 1, End: 990})
		w.lateAcks(srcName, 2, 970)
	}, srcName, func(n *figures) {
		n.Unique, n.Lost, n.LostBy = records-30, 30, map[string]uint64{"truncated": 20, "acked but absent": 10}
	}, harness.Violated, 3, "out-acks1/2: offsets 970 to 989 were in the leader's log, above the high watermark in leader epoch 0 (log end)"},
	{"a tail that only its acknowledgements prove", func(w *world) {
		l := w.log("out-"+srcName, 2)
		l.batches = l.batches[:97]
		l.renumber()
		l.append(&observation.Batch{LeaderEpoch: 5, ProducerID: 55, Control: true, Transactional: true, Marker: observation.MarkerAbort})
		w.lowWatermark("out-"+srcName, 2, 970)
	}, srcName, func(n *figures) {
		n.Unique, n.Lost, n.LostBy = records-30, 30, map[string]uint64{"truncated": 30}
	}, harness.Violated, 3, "out-acks1/2 offset 970 (now held by a transaction marker), truncated between leader epochs 0 and 5 (acknowledgement)"},
	{"an acknowledgement that the new leader gave", func(w *world) {
		l := w.log("out-"+srcName, 2)
		l.batches = l.batches[:97]
		l.renumber()
		l.append(&observation.Batch{LeaderEpoch: 5, ProducerID: 55, Control: true, Transactional: true, Marker: observation.MarkerAbort})
		w.lowWatermark("out-"+srcName, 2, 970)
		for _, e := range w.hist("observer-samples").entries {
			if s := e.(*history.Sample); s.Topic == "out-"+srcName && s.Partition == 2 && s.At > at(2000) {
				s.LeaderEpoch = 5
			}
		}
	}, srcName, func(n *figures) {
		n.Unique, n.Lost, n.LostBy = records-30, 30, map[string]uint64{"acked but absent": 30}
	}, harness.Violated, 3, "30 of 3,000 acknowledged records are not in the log"},
	{"a whole partition lost", func(w *world) {
		*w.log("out-"+srcName, 0) = topicLog{}
		w.hist("observer-samples").entries = nil
	}, srcName, func(n *figures) {
		n.Unique, n.Lost, n.LostBy = 2000, 1000, map[string]uint64{"acked but absent": 1000}
		n.LSOStalls, n.LongestStall, n.TotalStall = nil, nil, nil
	}, harness.Violated, 3, "the log ends at 0"},
	{"a flipped bit in an output", func(w *world) {
		w.log("out-"+plainName, 1).batches[5].Records[3] = observation.Record{Offset: 53, Status: observation.Corrupt}
	}, plainName, func(n *figures) {
		n.Unique, n.Lost, n.Corrupt, n.LostBy = records-1, 1, 1, map[string]uint64{"acked but absent": 1}
	}, harness.Violated, 3, "1 output records are corrupt"},
	{"a damaged batch", func(w *world) {
		b := w.log("out-"+plainName, 1).batches[5]
		b.Damaged, b.Records = true, nil
	}, plainName, func(n *figures) {
		n.Unique, n.Lost, n.Corrupt, n.LostBy = records-perBatch, perBatch, perBatch, map[string]uint64{"acked but absent": perBatch}
	}, harness.Violated, 3, "10 output records are corrupt"},
	{"a foreign record", func(w *world) {
		w.log("out-"+plainName, 1).append(&observation.Batch{ProducerID: 7, Records: []observation.Record{{Status: observation.Foreign}}})
	}, plainName, func(n *figures) { n.Foreign = 1 }, harness.Inconclusive, 4, "somebody else wrote to out-idempotent"},
	{"an output of an input that was never sent", func(w *world) {
		w.log("out-"+plainName, 1).append(&observation.Batch{ProducerID: 7, Records: []observation.Record{{
			Status: observation.Output, Identity: history.Identity{Sequence: 900_001}, Origin: history.Origin{Partition: 1, Offset: 5000},
		}}})
	}, plainName, func(n *figures) { n.Foreign = 1 }, harness.Inconclusive, 4, "are not this run's"},
	{"records at the tail that were never sent", func(w *world) {
		w.log("out-"+srcName, 1).append(&observation.Batch{ProducerID: 7, Records: []observation.Record{{Identity: history.Identity{Source: 1, Sequence: 900_001}}}})
	}, srcName, func(n *figures) { n.Foreign = 1 }, harness.Inconclusive, 4, "are not this run's"},
	{"an order inversion", func(w *world) {
		b := w.log("out-"+plainName, 0).batches[2]
		b.Records[3].Origin, b.Records[4].Origin = b.Records[4].Origin, b.Records[3].Origin
		b.Records[3].Identity, b.Records[4].Identity = b.Records[4].Identity, b.Records[3].Identity
	}, plainName, func(n *figures) { n.Reordered = 1 }, harness.Held, 0, ""},
	{"an input acknowledged and absent", func(w *world) {
		w.hist("source-input").add(&history.Intent{Stamp: history.At(at(2999)), First: 3000, Count: 3},
			&history.Acked{Stamp: history.At(at(2999)), Spans: []history.AckSpan{{Partition: 0, SequenceSpan: history.SequenceSpan{First: 3000, Stride: 1, Count: 3}, Offset: -1}}})
	}, plainName, func(n *figures) { n.AckedAbsent, n.AckedAbsentBy = 3, map[string]uint64{"acked but absent": 3} }, harness.Held, 3,
		"the source's fault: 3 acknowledged records are not in the input log (acked but absent 3), e.g. sequence 3000"},
	{"an identity twice in the input", func(w *world) {
		in := w.log(inTopic, 1).append(&observation.Batch{ProducerID: 100, Records: []observation.Record{{Identity: history.Identity{Sequence: 4}}}})
		w.log("out-"+plainName, 1).append(&observation.Batch{ProducerID: 200, Records: output(in, 1, txns.Of(0, 1), 5000, 0)})
		w.log("out-"+txnName, 1).append(&observation.Batch{ProducerID: 301, Records: output(in, 1, txns.Of(0, 1), 5000, 0)})
	}, plainName, func(n *figures) { n.Input, n.Unique, n.IdentityTwice, n.NeverLive = records+1, records+1, 1, 1 },
		harness.Held, 0, "the source's fault: 1 further copies"},
	{"input left over", func(w *world) {
		w.extra = w.positions()
		w.extra[1].Offset = 990
		f := w.hist("idempotent-0")
		for i, e := range f.entries {
			if c, ok := e.(*history.Committed); ok && c.Offsets[0] == (history.PartitionOffset{Partition: 1, Offset: 1000}) {
				f.entries = append(f.entries[:i-2:i-2], f.entries[i+1:]...)
				break
			}
		}
		l := w.log("out-"+plainName, 1)
		l.batches = l.batches[:99]
		l.renumber()
		w.hist("observer-samples").entries = nil
	}, plainName, func(n *figures) {
		n.Unique, n.Unprocessed = records-perBatch, perBatch
		n.LSOStalls, n.LongestStall, n.TotalStall = nil, nil, nil
	}, harness.Inconclusive, 4, "10 of 3,000 inputs were not processed"},
	{"committed offsets that went back", func(w *world) {
		w.extra = w.positions()
		w.extra[1].Offset = 500
		w.extra[2].Offset = -1
	}, plainName, func(n *figures) { n.OffsetsWentBack = 2 }, harness.Inconclusive, 4, "no committed offset is left in 1 input partitions, and no fault deleted it: 1000 was confirmed in input partition 2, -1 is committed now"},
	{"an aborted transaction shown", func(w *world) {
		for _, e := range w.hist("transactional-0").entries {
			if x, ok := e.(*history.TxnEnded); ok && x.Txn == 7 {
				x.Commit = false
			}
		}
	}, txnName, func(n *figures) {
		n.Contradicted = u(3)
		n.AbortedSeen = u(30)
	}, harness.Violated, 3, "30 outputs are visible though their transaction's abort was confirmed, e.g. of transaction 7 of transactional-0"},
	{"a committed transaction aborted by the log", func(w *world) {
		for p := range int32(parts) {
			w.log("out-"+txnName, p).batches[13].Marker = observation.MarkerAbort
		}
	}, txnName, func(n *figures) {
		n.Contradicted = u(3)
		n.Unique, n.Lost, n.CommittedNotSeen, n.LostBy = records-30, 30, u(30), map[string]uint64{"aborted": 30}
	}, harness.Violated, 3, "30 outputs are not visible though their transaction's commit was confirmed, e.g. transaction 7 of transactional-0"},
	{"a torn transaction over two partitions", func(w *world) {
		w.log("out-"+txnName, 1).batches[13].Marker = observation.MarkerAbort
	}, txnName, func(n *figures) {
		n.Contradicted = u(1)
		n.Unique, n.Lost, n.CommittedNotSeen, n.Torn, n.LostBy = records-10, 10, u(10), u(1), map[string]uint64{"aborted": 10}
	}, harness.Violated, 3, "1 transactions took effect in part, e.g. transaction 7 of transactional-0"},
	{"outputs without their offset commit", func(w *world) {
		w.extra = w.positions()
		w.extra[parts+0].Offset = 990
	}, txnName, func(n *figures) { n.Torn, n.OffsetsWentBack = u(1), 1 }, harness.Violated, 3, "offset 1000 of input partition 0 is not committed"},
	{"an unknown commit that happened", func(w *world) {
		for _, e := range w.hist("transactional-0").entries {
			if x, ok := e.(*history.TxnEnded); ok && x.Txn == 7 {
				x.Outcome = history.OutcomeUnknown
			}
		}
	}, txnName, func(n *figures) {
		n.UnknownCommits, n.UnknownCommitsHappened = 1, 1
		n.Unknown, n.UnknownHappened = 1, 1
	}, harness.Held, 0,
		"transaction 7 of transactional-0 (incarnation 1): unknown, happened: its outputs are committed"},
	{"a refused commit that happened", func(w *world) { w.refuse(7) }, txnName, func(n *figures) {
		n.Contradicted = u(3)
		n.Phantom = 30
	}, harness.Violated, 3, "30 records are visible whose writing was reported as failed"},
	{"an open transaction at the end", func(w *world) {
		for p := range int32(parts) {
			l := w.log("out-"+txnName, p)
			l.batches = l.batches[:len(l.batches)-1]
			l.next--
		}
		w.hist("observer-samples").entries = nil
	}, txnName, func(n *figures) {
		n.Hanging = 1
		n.Unique, n.Hidden = records-30, 30
		n.LSOStalls, n.LongestStall, n.TotalStall = nil, nil, nil
	}, harness.Inconclusive, 4, "30 inputs are hidden behind an open transaction: t-0 (producer id 300, epoch 0) in out-transactional/0 from offset 1089"},
	{"an unknown commit that did not happen", func(w *world) {
		w.endUnknown(7)
		w.addAgain(7)
	}, txnName, func(n *figures) {
		n.Unknown, n.UnknownDidNot, n.UnknownCommits, n.Reordered = 1, 1, 1, 30
	}, harness.Held, 0, "transaction 7 of transactional-0 (incarnation 1): unknown, did not: its outputs are aborted"},
	{"a transaction that its coordinator still has", func(w *world) { w.leaveOpen("Ongoing", 15_000) }, txnName, func(n *figures) {
		n.Unique, n.Hidden, n.Hanging = records-30, 30, 1
	}, harness.Inconclusive, 4, "open for 90.0s, Ongoing at coordinator 2 with a timeout of 15s"},
	{"a transaction that its coordinator has ended elsewhere", func(w *world) { w.leaveOpen("CompleteAbort", 15_000) }, txnName, func(n *figures) {
		n.Unique, n.Hidden, n.Hanging = records-30, 30, 1
	}, harness.Inconclusive, 4, "hanging: its coordinator 2 has it as CompleteAbort and never ends it"},
	{"a hanging transaction that its coordinator has as committed", func(w *world) { w.leaveOpen("CompleteCommit", 15_000) }, txnName, nil, harness.Inconclusive, 4,
		"to end the transaction of producer id 300: don't abort it unless its records may be lost: its coordinator has it as committed"},
	{"a transaction that no coordinator lists", func(w *world) { w.leaveOpen("", 0) }, txnName, func(n *figures) {
		n.Unique, n.Hidden, n.Hanging = records-30, 30, 1
	}, harness.Inconclusive, 4, "to end the transaction of producer id 300: kafka-transactions.sh --bootstrap-server 127.0.0.1:9092 abort --topic out-transactional --partition 0 --start-offset 1089 && " +
		"kafka-transactions.sh --bootstrap-server 127.0.0.1:9092 abort --topic out-transactional --partition 1 --start-offset 1089 && "},
	{"a hanging transaction that chaeos itself can end", func(w *world) { w.leaveOpen("", 0) }, txnName, nil, harness.Inconclusive, 4,
		`; or, where chaeos has left the cluster up: chaeos inject transaction-abort older=1m25s --target "partition out-transactional/0" --for 1s && ` +
			`chaeos inject transaction-abort older=1m25s --target "partition out-transactional/1" --for 1s && `},
	{"a transaction with no records", func(w *world) {
		w.hist("transactional-0").add(&history.TxnBegin{Stamp: history.At(at(1)), Txn: 5000}, &history.TxnEnding{Stamp: history.At(at(1)), Txn: 5000, Commit: true},
			&history.TxnEnded{Stamp: history.At(at(1)), Txn: 5000, Commit: true, Outcome: history.OutcomeConfirmed})
		w.log("out-"+txnName, 0).append(marker(300, observation.MarkerAbort))
	}, txnName, nil, harness.Held, 0, ""},
	{"failed records that are there", func(w *world) {
		w.hist("source-acks1").add(&history.Intent{Stamp: history.At(at(2999)), First: 3000, Count: 3}, &history.Resolved{Stamp: history.At(at(2999)), Outcome: history.OutcomeFailed, Spans: []history.SequenceSpan{{First: 3000, Stride: 1, Count: 3}}})
		w.log("out-"+srcName, 0).append(&observation.Batch{ProducerID: 101, Records: []observation.Record{{Identity: history.Identity{Source: 1, Sequence: 3000}}}})
	}, srcName, func(n *figures) { n.Phantom = 1 }, harness.Held, 0, "1 records are visible whose writing was reported as failed"},
	{"unknown records, one of which is there", func(w *world) {
		w.hist("source-acks1").add(&history.Intent{Stamp: history.At(at(2999)), First: 3000, Count: 3}, &history.Resolved{Stamp: history.At(at(2999)), Spans: []history.SequenceSpan{{First: 3000, Stride: 1, Count: 2}}})
		w.log("out-"+srcName, 0).append(&observation.Batch{ProducerID: 101, Records: []observation.Record{{Identity: history.Identity{Source: 1, Sequence: 3000}}}})
	}, srcName, func(n *figures) {
		n.UnknownDidNot = 2
		n.Unknown, n.UnknownHappened = 3, 1
	}, harness.Held, 0,
		"of 3 produces 1 happened and 2 did not, of 0 commits"},
	{"an unknown record stored twice", func(w *world) {
		w.hist("source-acks1").add(&history.Intent{Stamp: history.At(at(2999)), First: 3000, Count: 1})
		for range 2 {
			w.log("out-"+srcName, 0).append(&observation.Batch{ProducerID: -1, Records: []observation.Record{{Identity: history.Identity{Source: 1, Sequence: 3000}}}})
		}
	}, srcName, func(n *figures) {
		n.Unknown, n.UnknownHappened, n.Duplicates, n.DuplicatedInputs, n.DuplicatesBy = 1, 1, 1, 1, map[string]uint64{"resend without producer id": 1}
	}, harness.Held, 0, "source 1 sequence 3000"},
	{"failed outputs of a worker that are there", func(w *world) {
		for _, e := range w.hist("idempotent-0").entries {
			if o, ok := e.(*history.Outputs); ok && o.Counts[0].Partition == 2 {
				o.Outcome = history.OutcomeFailed
				break
			}
		}
	}, plainName, func(n *figures) { n.Phantom = perBatch }, harness.Held, 0, "10 records are visible whose writing was reported as failed"},
	{"a moved end", func(w *world) {
		w.tweak = func(x *observation.Index) {
			p := x.Partition("out-"+plainName, 1)
			p.HWAfter, p.LSOAfter, p.Writer = p.HW+1, p.LSO+1, "producer id 200 epoch 3"
		}
	}, plainName, nil, harness.Inconclusive, 4, "its end moved from 1000 to 1001 while it was read: producer id 200 epoch 3"},
	{"an incomplete read-back", func(w *world) {
		w.tweak = func(x *observation.Index) {
			p := x.Partition("out-"+plainName, 1)
			p.HW, p.HWAfter, p.Complete = p.HW+1, p.HW+1, false
		}
	}, plainName, nil, harness.Inconclusive, 4, "read up to offset 1000 of 1001"},
	{"a read_committed client that saw something else", func(w *world) {
		w.tweak = func(x *observation.Index) { x.Partition("out-"+txnName, 1).Client.Count = 7 }
	}, txnName, nil, harness.Inconclusive, 4, "a read_committed client saw 7 records"},
	{"a read_committed client that saw something else of a sample", func(w *world) { w.sampled(2) }, txnName, nil, harness.Inconclusive, 4,
		"a read_committed client saw 2 records (hash 00) from offset 5 to 8 where the log holds 3 committed (hash 00)"},
	{"a sample that agrees", func(w *world) { w.sampled(3) }, txnName, nil, harness.Held, 0, "a read_committed client was asked for 3 of 1,000 committed records"},
	{"a broker that lists other aborts", func(w *world) {
		w.tweak = func(x *observation.Index) {
			x.Partition("out-"+txnName, 1).BrokerAborted = []observation.Aborted{{ProducerID: 1, First: 2}}
		}
	}, txnName, nil, harness.Inconclusive, 4, "has 1 that they don't"},
	{"a lost observation file's end", func(w *world) { w.cut["readback/out-idempotent-1.obs"] = 3 }, plainName, nil, harness.Inconclusive, 4, "can't be read to its end"},
	{"an observation file cut in the middle", func(w *world) { w.cut["readback/out-idempotent-1.obs"] = 1500 }, plainName, nil, harness.Inconclusive, 4,
		"inputs have an output is not known: their output partitions were not read to their ends"},
	{"a transaction's output cut off", func(w *world) { w.cut["readback/out-transactional-1.obs"] = 1500 }, txnName, nil, harness.Inconclusive, 4,
		"inputs have an output is not known: their output partitions were not read to their ends"},
	{"a partition that was not read back", func(w *world) {
		w.tweak = func(x *observation.Index) {
			x.Partitions = slices.DeleteFunc(x.Partitions, func(p observation.Partition) bool { return p.Topic == "out-"+srcName && p.Partition == 0 })
		}
	}, srcName, func(n *figures) { n.Unique, n.Hidden = 2000, 1000 }, harness.Inconclusive, 4, "whether 1,000 inputs have an output is not known"},
	{"an observation file without a whole header", func(w *world) { w.cut["readback/out-idempotent-1.obs"] = 1 << 40 }, plainName, nil, harness.Inconclusive, 4,
		"out-idempotent/1: its observation file can't be read"},
	{"an input partition that was not read back", func(w *world) {
		w.tweak = func(x *observation.Index) {
			x.Partitions = slices.DeleteFunc(x.Partitions, func(p observation.Partition) bool { return p.Topic == inTopic && p.Partition == 1 })
		}
	}, txnName, func(n *figures) { n.Input, n.Unique, n.Unmatched = 2000, 2000, 1000 }, harness.Inconclusive, 4, "in/1: not read back"},
	{"a truncated worker history", func(w *world) { w.cut["history/idempotent-0.hist"] = 100 }, plainName, nil, harness.Inconclusive, 4, "history/idempotent-0.hist has lost 100 of"},
	{"a history that was not closed", func(w *world) { w.hist("idempotent-0").noEnd = true }, plainName, nil, harness.Inconclusive, 4, "was not closed, and its writer was not killed"},
	{"a killed writer's history", func(w *world) {
		w.hist("idempotent-0").noEnd, w.hist("idempotent-0").record.Killed = true, true
	}, plainName, nil, harness.Held, 0, ""},
	{"a fault that took no effect", func(w *world) {
		w.fault(1000, 2000).Proofs[1] = harness.Proof{Pipeline: plainName, Text: "0 bytes cut"}
	}, plainName,
		nil, harness.Inconclusive, 4, "broker-kill leader of output/0 did not take effect: 0 bytes cut"},
	{"a fault that was not meant to take effect", func(w *world) {
		f := w.fault(1000, 2000)
		f.Proofs[1], f.AimsAt = harness.Proof{Pipeline: plainName, Text: "0 bytes cut"}, []string{txnName}
	}, plainName, nil, harness.Held, 0, ""},
	{"a fault for another row that went wrong", func(w *world) {
		f := w.fault(1000, 2000)
		f.AimsAt, f.Error = []string{txnName}, "half of it stayed"
	}, plainName, nil, harness.Inconclusive, 4, "went wrong: half of it stayed"},
	{"a repeated fault of which one bit", func(w *world) {
		f := w.fault(1000, 1500)
		f.Proofs[1], f.Series = harness.Proof{Pipeline: plainName, Text: "0 bytes cut"}, 1
		w.fault(1600, 2000).Series = 1
	}, plainName, nil, harness.Held, 0, ""},
	{"a repeated fault of which none bit", func(w *world) {
		for _, from := range []uint64{1000, 1600} {
			f := w.fault(from, from+400)
			f.Proofs[1], f.Series = harness.Proof{Pipeline: plainName, Text: "0 bytes cut"}, 1
		}
	}, plainName, nil, harness.Inconclusive, 4, "did not take effect: 0 bytes cut"},
	{"too little before and after", func(w *world) { w.fault(10, 2995) }, plainName, nil, harness.Inconclusive, 4, "0 records became visible before the first fault, 100 are needed"},
	{"too little offered", func(w *world) { w.fault(1000, 1020) }, plainName, nil, harness.Inconclusive, 4, "records were offered while faults were active"},
	{"an incident", func(w *world) { w.record.Incidents = []string{"broker 2 died"} }, plainName, nil, harness.Inconclusive, 4, "incident: broker 2 died"},
	{"a claim that must break and held", func(w *world) {
		w.record.Expect = map[string]map[harness.Guarantee]harness.Expectation{plainName: {harness.AtLeastOnce: harness.MustBreak}}
	}, plainName, nil, harness.Held, 4, ""},
}

func TestPlantedFaults(t *testing.T) {
	for _, c := range plantedFaults {
		t.Run(c.name, c.try)
	}
}

// try plants the fault in a clean run and requires exactly what must come of it.
func (c planted) try(t *testing.T) {
	clean := cleanNumbers(t, c.row)
	w := newWorld(records)
	c.do(w)
	report := w.judge(t)
	row := rowOf(t, report, c.row)
	tellControl(t, c.name, c.row, clean, row)
	require.Equal(t, c.verdict, row.Verdict(row.Claims), reasons(row))
	require.Equal(t, c.exit, report.Exit, report.Why+"\n"+asJSON(t, report))
	require.Contains(t, reasons(row), c.says)
	requireListed(t, report)
	if c.want == nil {
		return
	}
	c.want(&clean)
	got := figuresOf(row.Numbers)
	clean.NoProgress, got.NoProgress, clean.NoProgressIn, got.NoProgressIn = nil, nil, 0, 0
	clean.P50, got.P50, clean.P99, got.P99 = nil, nil, nil, nil
	require.Equal(t, asJSON(t, clean), asJSON(t, got))
	requireOthersQuiet(t, report, c)
}

var cleanReport struct {
	sync.Once
	report *harness.Report
}

// cleanNumbers are a row's figures in the clean run, which is judged once for all planted faults. What a fault changes in
// them must be put in their place, not written through their pointers.
func cleanNumbers(t *testing.T, row string) figures {
	t.Helper()
	cleanReport.Do(func() { cleanReport.report = newWorld(records).judge(t) })
	return figuresOf(rowOf(t, cleanReport.report, row).Numbers)
}

// requireListed: every cause and every kind that a report gives stands in the lists that the documents are held against.
func requireListed(t *testing.T, report *harness.Report) {
	t.Helper()
	for _, row := range report.Rows {
		for _, by := range []map[string]uint64{figuresOf(row.Numbers).DuplicatesBy, figuresOf(row.Numbers).LostBy, figuresOf(row.Numbers).AckedAbsentBy} {
			for cause := range by {
				require.Contains(t, checks.Causes(), cause)
			}
		}
	}
	for _, s := range report.Stalls {
		require.True(t, s.EndedBy == "" || slices.Contains(checks.Causes(), s.EndedBy), s.EndedBy)
	}
	for _, a := range report.Anomalies {
		require.Contains(t, harness.AnomalyKinds(), a.Kind)
		require.True(t, a.Cause == "" || slices.Contains(checks.Causes(), a.Cause), a.Cause)
	}
}

// requireOthersQuiet: a fault planted in one row must not show in another row's counts.
func requireOthersQuiet(t *testing.T, report *harness.Report, c planted) {
	t.Helper()
	for _, row := range report.Rows {
		if n := figuresOf(row.Numbers); row.Pipeline != c.row && row.Pipeline != harness.SourceRow { // the source's is of what all read
			require.Zero(t, n.Lost+n.Duplicates+n.Hidden+n.Phantom+n.Unknown+n.Unprocessed+n.Foreign+n.Corrupt+n.OffsetsWentBack, row.Pipeline)
		}
	}
}

// TestEmptyTopics: a run that brought nothing ends, and its report names that nothing was there.
func TestEmptyTopics(t *testing.T) {
	w := newWorld(0)
	report := w.judge(t)
	require.Equal(t, 4, report.Exit)
	for _, row := range report.Rows {
		require.Equal(t, "inconclusive", row.Delivered)
		require.Contains(t, reasons(row), "there was no input")
	}
}

// TestOnlyControlRecords: a partition with nothing but markers is complete and holds nothing.
func TestOnlyControlRecords(t *testing.T) {
	w := newWorld(records)
	for p := range int32(parts) {
		l := w.log("out-"+txnName, p)
		for range 5 {
			l.append(marker(55, observation.MarkerAbort))
		}
	}
	require.Zero(t, w.judge(t).Exit)
	for p := range int32(parts) {
		l := w.log("out-"+txnName, p)
		l.batches = l.batches[len(l.batches)-5:]
		l.renumber()
	}
	row := rowOf(t, w.judge(t), txnName)
	require.Equal(t, "violated", row.Delivered)
	require.EqualValues(t, records, figuresOf(row.Numbers).Lost)
	require.EqualValues(t, records, *figuresOf(row.Numbers).CommittedNotSeen)
}

// TestStall: the last stable offset stands still for 1.5 s while the watermark goes on, over a leader change and a time
// without a leader; a cut-off leader's frozen answers count for nothing.
func TestStall(t *testing.T) {
	w := newWorld(records)
	f := w.hist("observer-samples")
	w.fault(900, 2000)
	for _, e := range f.entries {
		s := e.(*history.Sample)
		if s.Topic != "out-"+txnName || s.Partition != 1 || s.At < at(1000) {
			continue
		}
		switch {
		case s.At < at(1500) || s.At >= at(1800) && s.At < at(2500):
			s.LSO = 100
		case s.At < at(1800):
			s.Broker, s.LeaderEpoch, s.LSO, s.HW = -1, -1, -1, -1
		}
		if s.At >= at(1800) {
			s.Broker, s.LeaderEpoch = 2, 1
		}
	}
	f.add(&history.Sample{Stamp: history.At(at(2950)), Topic: "out-" + txnName, Partition: 1, Broker: 1, LeaderEpoch: 0, LSO: 100, HW: 500})
	w.hist("observer-samples").add(
		&history.TransactionAtLSO{Stamp: history.At(at(3000)), Topic: "out-" + txnName, Partition: 1, LSO: 100, ProducerID: 300, TransactionalID: "t-0", State: "Ongoing"},
		&history.TransactionAtLSO{Stamp: history.At(at(3000)), Topic: "out-" + txnName, Partition: 1, LSO: 101, ProducerID: 301, TransactionalID: "t-1", State: "Ongoing"})
	report := w.judge(t)
	n := figuresOf(rowOf(t, report, txnName).Numbers)
	require.EqualValues(t, 1, *n.LSOStalls)
	require.Equal(t, 1500*time.Millisecond, *n.LongestStall)
	require.Equal(t, 1500*time.Millisecond, *n.TotalStall)
	require.Len(t, report.Stalls, 1)
	s := report.Stalls[0]
	require.Equal(t, "t-0", s.TransactionalID)
	require.Equal(t, "broker-kill leader of output/0", s.Fault)
	require.False(t, s.Open)
	require.Nil(t, figuresOf(rowOf(t, report, plainName).Numbers).LSOStalls)
}

// TestSamplingGap: a gap is "not observed", never 0. One that is long enough to hide a stall leaves a transactional row
// inconclusive; a shorter one, or one of a row whose last stable offsets stand for nothing, concerns the stalls alone.
func TestSamplingGap(t *testing.T) {
	for _, c := range []struct {
		row      string
		to       uint64
		delivers string
	}{
		{plainName, 1400, "at-least-once"}, {plainName, 2500, "at-least-once"},
		{txnName, 1400, "exactly-once"}, {txnName, 2000, "inconclusive"}, {txnName, 2500, "inconclusive"}, {txnName, 9000, "inconclusive"}, {plainName, 9000, "at-least-once"},
	} {
		w := newWorld(records)
		f := w.hist("observer-samples")
		var kept []history.Entry
		for _, e := range f.entries {
			if s := e.(*history.Sample); s.Topic != "out-"+c.row || s.At < at(1000) || s.At > at(c.to) {
				kept = append(kept, e)
			}
		}
		f.entries = kept
		row := rowOf(t, w.judge(t), c.row)
		require.Nil(t, figuresOf(row.Numbers).LSOStalls)
		require.Equal(t, c.delivers, row.Delivered, "%s to %d: %s", c.row, c.to, reasons(row))
		if c.delivers == "inconclusive" {
			require.Contains(t, reasons(row), "a stall may have gone unseen")
		}
	}
	w := newWorld(records)
	w.hist("observer-samples").entries = nil
	require.Contains(t, reasons(rowOf(t, w.judge(t), txnName)), "the last stable offsets of 3 partitions were never sampled")
}

// TestRecovery: partition 0 brings nothing from 1.0 s to 2.5 s, the fault is from 0.9 s to 2.0 s.
func TestRecovery(t *testing.T) {
	w := newWorld(records)
	w.fault(900, 2000)
	for _, e := range w.hist("observer-live").entries {
		if s, ok := e.(*history.DeliveredLive); ok && s.Topic == "out-"+plainName && s.Partition == 0 && s.At > at(990) && s.At < at(2490) {
			s.At = at(2490)
		}
	}
	n := figuresOf(rowOf(t, w.judge(t), plainName).Numbers)
	require.Equal(t, 1500*time.Millisecond, *n.NoProgress)
	require.EqualValues(t, 0, n.NoProgressIn)
	require.Equal(t, 1590*time.Millisecond, *n.Recovery)
	require.Equal(t, 490*time.Millisecond, *n.RecoveryFromHeal)
}

// TestLatency: inputs that never reached the live reader count as infinite.
func TestLatency(t *testing.T) {
	w := newWorld(records)
	for _, e := range w.hist("observer-live").entries {
		if s, ok := e.(*history.DeliveredLive); ok && s.Topic == "out-"+plainName && s.At > at(2950) {
			s.New = 0
		}
	}
	row := rowOf(t, w.judge(t), plainName)
	require.EqualValues(t, 90, figuresOf(row.Numbers).NeverLive)
	require.NotNil(t, figuresOf(row.Numbers).P50)
	require.Nil(t, figuresOf(row.Numbers).P99)
	require.Contains(t, reasons(row), "the 99th percentile is infinite: 90 inputs")
}
