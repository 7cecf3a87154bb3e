package verifiers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// ofEffects makes the transactional row of a clean run one of effects: the same transactions, which hold offsets only.
func ofEffects() *world {
	w := newWorld(records)
	w.record.Plan.Pipelines[2].Effects = true
	w.makeEffects("out-" + txnName)
	return w
}

// makeEffects leaves of a topic's transactions what a service's store holds of them.
func (w *world) makeEffects(topic string) {
	for p := range int32(parts) {
		l := w.log(topic, p)
		var effects []*observation.Batch
		for _, b := range l.batches {
			if !b.Control {
				b.ProducerID, b.ProducerEpoch, b.BaseSequence, b.Transactional = -1, -1, -1, false
				effects = append(effects, b)
			}
		}
		l.batches = effects
		l.renumber()
	}
}

// ended is the entry that says how a transaction ended, offsets the one that says what became of its positions.
func (w *world) ended(txn uint64) (end *history.TxnEnded, offsets *history.Committed) {
	for _, e := range w.hist("transactional-0").entries {
		switch e := e.(type) {
		case *history.TxnEnded:
			if e.Txn == txn {
				end = e
			}
		case *history.Committed:
			if e.Txn == txn {
				offsets = e
			}
		}
	}
	return end, offsets
}

// TestEffectsStandOutsideTransactions: what the log can say of a transaction does not apply to effects, whose row has only
// what the service's store says.
func TestEffectsStandOutsideTransactions(t *testing.T) {
	row := rowOf(t, ofEffects().judge(t), txnName)
	require.Equal(t, string(harness.ExactlyOnce), row.Delivered, reasons(row))
	n := figuresOf(row.Numbers)
	require.Nil(t, n.Torn)
	require.Nil(t, n.AbortedSeen)
	require.Nil(t, n.CommittedNotSeen)
	require.Nil(t, n.Contradicted)
	require.Nil(t, n.LSOStalls)
	require.Nil(t, n.LongestStall)
	require.Zero(t, n.Duplicates+n.Lost+n.Phantom+n.Unknown)
}

// TestEffectsOfAnAbortedTransaction: they are there, and no harm is done until their inputs are processed again: then they
// are duplicates, and nothing else.
func TestEffectsOfAnAbortedTransaction(t *testing.T) {
	w := ofEffects()
	end, offsets := w.ended(5)
	end.Commit, offsets.Outcome = false, history.OutcomeUnknown
	row := rowOf(t, w.judge(t), txnName)
	require.Equal(t, string(harness.ExactlyOnce), row.Delivered, reasons(row))

	again := w.log(inTopic, 0).batches[4]
	w.log("out-"+txnName, 0).append(&observation.Batch{ProducerID: -1, Records: output(again, 0, txns.Of(0, 1), 9000, 6)})
	w.hist("transactional-0").add(&history.Outputs{Stamp: history.At(at(2900)), Txn: 6, Outcome: history.OutcomeConfirmed,
		Counts: []history.PartitionCount{{Partition: 0, Count: perBatch}}})
	row = rowOf(t, w.judge(t), txnName)
	require.Equal(t, "violated", row.Delivered)
	require.Equal(t, uint64(perBatch), figuresOf(row.Numbers).Duplicates)
	require.Zero(t, figuresOf(row.Numbers).Phantom+figuresOf(row.Numbers).Lost+figuresOf(row.Numbers).Unknown)
}

// TestEffectsWithoutAConfirmedCommit: a worker that died at its last commit has confirmed effects and no word of its
// positions. The final ones say that it happened.
func TestEffectsWithoutAConfirmedCommit(t *testing.T) {
	w := ofEffects()
	last := uint64(len(w.log(inTopic, 0).batches))
	f := w.hist("transactional-0")
	end, offsets := w.ended(last)
	var kept []history.Entry
	for _, e := range f.entries {
		if e != history.Entry(end) && e != history.Entry(offsets) {
			kept = append(kept, e)
		}
	}
	f.entries, f.noEnd, f.record.Killed = kept, true, true
	row := rowOf(t, w.judge(t), txnName)
	require.Equal(t, string(harness.ExactlyOnce), row.Delivered, reasons(row))
	require.Equal(t, uint64(1), figuresOf(row.Numbers).UnknownCommits)
	require.Equal(t, uint64(1), figuresOf(row.Numbers).UnknownCommitsHappened)
	require.Zero(t, figuresOf(row.Numbers).Phantom)
}

// TestEffectsOfRepeatedCalls: a caller that had no answer calls again for the record in hand.
func TestEffectsOfRepeatedCalls(t *testing.T) {
	w := ofEffects()
	l := w.log("out-"+txnName, 1)
	again := *l.batches[3]
	again.Records = append([]observation.Record(nil), again.Records[:2]...)
	l.append(&again)
	w.hist("transactional-0").add(&history.Outputs{Stamp: history.At(at(2900)), Txn: 4, Outcome: history.OutcomeUnknown,
		Counts: []history.PartitionCount{{Partition: 1, Count: 3}}})
	n := figuresOf(rowOf(t, w.judge(t), txnName).Numbers)
	require.Equal(t, uint64(2), n.Duplicates)
	require.Equal(t, map[string]uint64{"called again": 2}, n.DuplicatesBy)
	require.Equal(t, uint64(3), n.Unknown, "an unknown call inside a transaction is unknown like any other")
	require.Equal(t, uint64(2), n.UnknownHappened)
}
