package verifiers

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// sentName is the row of a producer that writes in transactions, in worlds that ask for it.
const sentName = "transactional-producer"

var sentLayout = harness.PipelineLayout{
	PipelineInfo: harness.PipelineInfo{Name: sentName, Claims: harness.ExactlyOnce, ProducerOnly: true, Transactional: true},
	Source:       2, Output: "out-" + sentName, TransactionalIDs: []string{"sent.1"},
}

// sentWorld is one with a producer's row more.
func sentWorld(n uint64) *world { return makeWorld(n, sentLayout) }

// fillSent: one transaction for each block, with perBatch records in every partition.
func (w *world) fillSent(layout harness.PipelineLayout, n uint64) {
	const pid = 400
	w.fillSource(layout.Source, layout.Output, "source-"+layout.Name, layout.Name, pid, n)
	f := w.hist("source-" + layout.Name)
	var entries []history.Entry
	txn := uint64(0)
	for _, e := range f.entries {
		if i, is := e.(*history.Intent); is {
			txn++
			entries = append(entries, e, &history.TxnBegin{Stamp: history.At(i.At), Txn: txn},
				&history.TxnRecords{Stamp: history.At(i.At), Txn: txn, First: i.First, Count: i.Count, ProducerID: pid},
				&history.TxnEnding{Stamp: history.At(i.At), Txn: txn, Commit: true},
				&history.TxnEnded{Stamp: history.At(i.At), Txn: txn, Commit: true, Outcome: history.OutcomeConfirmed})
			continue
		}
		entries = append(entries, e)
	}
	f.entries = entries
	for p := range int32(parts) {
		l := w.log(layout.Output, p)
		data := l.batches
		*l = topicLog{seq: map[int64]int32{}}
		for _, b := range data {
			b.Transactional = true
			l.append(b)
			l.append(marker(pid, observation.MarkerCommit))
		}
	}
	w.placeAcks(f, layout.Output)
}

// placeAcks gives acknowledgements the offsets that markers moved.
func (w *world) placeAcks(f *histFile, topic string) {
	block := map[int32]int{}
	for _, e := range f.entries {
		if a, is := e.(*history.Acked); is {
			for i := range a.Spans {
				s := &a.Spans[i]
				s.Offset = w.log(topic, s.Partition).batches[2*block[s.Partition]].First
				block[s.Partition]++
			}
		}
	}
}

// sentEnd changes what the producer recorded of the end of its n-th transaction; without a commit it never asked for one.
func (w *world) sentEnd(n uint64, change func(*history.TxnEnded), asked bool) {
	f := w.hist("source-" + sentName)
	f.entries = slices.DeleteFunc(f.entries, func(e history.Entry) bool {
		x, is := e.(*history.TxnEnding)
		return is && x.Txn == n && !asked
	})
	for _, e := range f.entries {
		if x, is := e.(*history.TxnEnded); is && x.Txn == n {
			change(x)
		}
	}
	f.entries = slices.DeleteFunc(f.entries, func(e history.Entry) bool { // what was not committed was not acknowledged
		a, is := e.(*history.Acked)
		return is && a.Spans[0].First == (n-1)*parts*perBatch
	})
}

// abortSent makes the n-th transaction's marker of a partition an abort.
func (w *world) abortSent(n int, partitions ...int32) {
	for _, p := range partitions {
		w.log("out-"+sentName, p).batches[2*n-1].Marker = observation.MarkerAbort
	}
}

func endUnknown(x *history.TxnEnded) { x.Outcome = history.OutcomeUnknown }

func endRefused(x *history.TxnEnded) {
	x.Outcome, x.Reason = history.OutcomeFailed, "PRODUCER_FENCED: There is a newer producer with the same transactionalId which fences the current one."
}

func endUnasked(x *history.TxnEnded) { x.Outcome, x.Commit = history.OutcomeUnknown, false }

func endAborted(x *history.TxnEnded) { x.Outcome, x.Commit = history.OutcomeConfirmed, false }

// TestSentTransactions plants what can be wrong with the transactions of a producer, one condition each.
func TestSentTransactions(t *testing.T) {
	for _, c := range []struct {
		name               string
		do                 func(w *world)
		torn, contradicted uint64
		verdict            harness.Verdict
		says               string
	}{
		{"nothing", func(*world) {}, 0, 0, harness.Held, ""},
		{"an unknown end that is committed", func(w *world) { w.sentEnd(20, endUnknown, true) }, 0, 0, harness.Held, ""},
		{"an unknown end that is aborted", func(w *world) { w.sentEnd(20, endUnknown, true); w.abortSent(20, 0, 1, 2) }, 0, 0, harness.Held, ""},
		{"an unknown end, aborted in one partition", func(w *world) { w.sentEnd(20, endUnknown, true); w.abortSent(20, 0) }, 1, 0, harness.Violated,
			"transaction 20 (incarnation 0, sequences 570 to 599): 10 records in out-transactional-producer/2 are visible, but 10 records in out-transactional-producer/0 are aborted"},
		{"an unknown end, aborted in the last partition", func(w *world) { w.sentEnd(20, endUnknown, true); w.abortSent(20, 2) }, 1, 0, harness.Violated, ""},
		{"a confirmed commit, aborted in two partitions", func(w *world) { w.abortSent(20, 0, 1) }, 1, 2, harness.Violated, "(commit confirmed): abort in out-transactional-producer/0"},
		{"a confirmed commit that is aborted", func(w *world) { w.abortSent(20, 0, 1, 2) }, 0, 3, harness.Violated, "(commit confirmed): abort in"},
		{"an unknown end whose records of one partition are gone", func(w *world) {
			w.sentEnd(100, endUnknown, true)
			l := w.log("out-"+sentName, 1)
			l.batches = slices.Delete(l.batches, 198, 200)
			l.renumber()
		}, 1, 0, harness.Violated, "10 of 30 are not in the log"},
		{"a commit that was refused", func(w *world) { w.sentEnd(20, endRefused, true) }, 0, 3, harness.Violated, "(commit refused): commit in out-transactional-producer/0"},
		{"a refused commit that did not happen", func(w *world) { w.sentEnd(20, endRefused, true); w.abortSent(20, 0, 1, 2) }, 0, 0, harness.Held, ""},
		{"a commit that was never asked for", func(w *world) { w.sentEnd(20, endUnasked, false) }, 0, 3, harness.Violated, "(never asked): commit in"},
		{"one that was aborted, and is committed in one partition", func(w *world) { w.sentEnd(20, endAborted, false); w.abortSent(20, 0, 2) }, 1, 1, harness.Violated, "(abort confirmed): commit in out-transactional-producer/1"},
		{"a history that ends before the end", func(w *world) {
			f := w.hist("source-" + sentName)
			i := slices.IndexFunc(f.entries, func(e history.Entry) bool { x, is := e.(*history.TxnEnding); return is && x.Txn == 100 })
			f.entries, f.noEnd = f.entries[:i], true
		}, 0, 0, harness.Inconclusive, "3 control records commit transactions whose client's history ends before it asks for it"},
		{"a history that ends there because its writer was killed", func(w *world) {
			f := w.hist("source-" + sentName)
			i := slices.IndexFunc(f.entries, func(e history.Entry) bool { x, is := e.(*history.TxnEnding); return is && x.Txn == 100 })
			f.entries, f.noEnd, f.record.Killed = f.entries[:i], true, true
		}, 0, 3, harness.Violated, "(never asked): commit in"},
		{"torn where the history is cut", func(w *world) {
			f := w.hist("source-" + sentName)
			i := slices.IndexFunc(f.entries, func(e history.Entry) bool { x, is := e.(*history.TxnEnding); return is && x.Txn == 100 })
			f.entries, f.noEnd = f.entries[:i], true
			w.abortSent(100, 1)
		}, 1, 0, harness.Violated, ""},
		{"an older history that names no producer", func(w *world) {
			w.forgetRecords()
			w.sentEnd(20, endUnknown, true)
			w.abortSent(20, 0)
		}, 1, 0, harness.Violated, ""},
		{"an older history of a refused commit", func(w *world) { w.forgetRecords(); w.sentEnd(20, endRefused, true) }, 0, 3, harness.Violated, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := sentWorld(records)
			c.do(w)
			row := rowOf(t, w.judge(t), sentName)
			require.Equal(t, c.torn, row.Numbers.Count("torn"), reasons(row))
			require.Equal(t, c.contradicted, row.Numbers.Count("contradicted"), reasons(row))
			require.Equal(t, c.verdict, row.Verdict(harness.ExactlyOnce), reasons(row))
			require.Contains(t, reasons(row), c.says)
		})
	}
}

// forgetRecords takes what older versions didn't write.
func (w *world) forgetRecords() {
	f := w.hist("source-" + sentName)
	f.entries = slices.DeleteFunc(f.entries, func(e history.Entry) bool { _, is := e.(*history.TxnRecords); return is })
}

// TestSentTransactionAgain: a block that was refused and sent again in another epoch is two transactions, and neither is torn.
func TestSentTransactionAgain(t *testing.T) {
	w := sentWorld(records)
	w.sentEnd(100, endRefused, true)
	w.abortSent(100, 0, 1, 2)
	f := w.hist("source-" + sentName)
	const first, count = 99 * parts * perBatch, parts * perBatch
	acked := &history.Acked{Stamp: history.At(at(2999))}
	for p := range int32(parts) {
		l := w.log("out-"+sentName, p)
		again := &observation.Batch{ProducerID: 400, ProducerEpoch: 1, Transactional: true, Records: slices.Clone(l.batches[198].Records)}
		l.append(again)
		end := marker(400, observation.MarkerCommit)
		end.ProducerEpoch = 1
		l.append(end)
		acked.Spans = append(acked.Spans, history.AckSpan{Partition: p, SequenceSpan: history.SequenceSpan{First: first + uint64(p), Stride: parts, Count: perBatch}, Offset: again.First})
	}
	f.add(&history.TxnBegin{Stamp: history.At(at(2999)), Txn: 101}, &history.TxnRecords{Stamp: history.At(at(2999)), Txn: 101, First: first, Count: count, ProducerID: 400, ProducerEpoch: 1},
		&history.TxnEnding{Stamp: history.At(at(2999)), Txn: 101, Commit: true}, &history.TxnEnded{Stamp: history.At(at(2999)), Txn: 101, Commit: true, Outcome: history.OutcomeConfirmed}, acked)
	for _, forget := range []bool{false, true} {
		if forget {
			w.forgetRecords()
		}
		row := rowOf(t, w.judge(t), sentName)
		require.Equal(t, harness.Held, row.Verdict(harness.ExactlyOnce), reasons(row))
		require.Zero(t, row.Numbers.Count("torn"))
		require.Zero(t, row.Numbers.Count("contradicted"))
	}
}
