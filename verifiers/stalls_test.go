package verifiers

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// The stalled transaction: the tenth, whose records in partition 1 are at offsets 99 to 108, and its marker at 109.
const (
	stalledTxn   = 10
	stalledLSO   = 99
	stalledBatch = 18
)

// stallWorld has partition 1 of the transactional row stand still at that transaction from 1.0 s to 2.5 s, and its marker
// written at 2.45 s.
func stallWorld() *world {
	w := newWorld(records)
	for _, e := range w.hist("observer-samples").entries {
		if s := e.(*history.Sample); s.Topic == "out-"+txnName && s.Partition == 1 && s.At >= at(1000) {
			if s.At < at(2500) {
				s.LSO, s.HW = stalledLSO, 500
			}
		}
	}
	for i, b := range w.log("out-"+txnName, 1).batches {
		if b.Bytes = 70; i%2 == 0 {
			b.Bytes = 1000
		}
	}
	marker := w.log("out-"+txnName, 1).batches[stalledBatch+1]
	marker.MaxTimestamp, marker.ProducerEpoch, marker.CoordinatorEpoch = millis(w, at(2450)), 1, 7
	w.hist("observer-samples").add(&history.TransactionAtLSO{
		Stamp: history.At(at(2000)), Topic: "out-" + txnName, Partition: 1, LSO: stalledLSO, ProducerID: 300, TransactionalID: "t-0", State: "Ongoing",
		Coordinator: 2, TimeoutMillis: 60_000, StartMillis: millis(w, at(990)),
	}, &history.LSOAdvanced{
		Stamp: history.At(at(2600)), Topic: "out-" + txnName, Partition: 1, LSO: stalledLSO, ProducerID: 300, ProducerEpoch: 1, TransactionalID: "t-0", State: "CompleteAbort", Coordinator: 2,
	})
	return w
}

// millis is a moment of the run by the wall clock.
func millis(w *world, at history.Time) int64 {
	return w.record.Started.Add(at.Sub(w.record.Base)).UnixMilli()
}

// abort makes the stalled transaction an aborted one in every partition; its worker's history says what says makes of its end.
func (w *world) abort(says func(*history.TxnEnding, *history.TxnEnded) []history.Entry) {
	for p := range int32(parts) {
		w.log("out-"+txnName, p).batches[stalledBatch+1].Marker = observation.MarkerAbort
	}
	f := w.hist("transactional-0")
	var kept []history.Entry
	var ending *history.TxnEnding
	for _, e := range f.entries {
		switch e := e.(type) {
		case *history.TxnEnding:
			if e.Txn == stalledTxn {
				ending = e
				continue
			}
		case *history.TxnEnded:
			if e.Txn == stalledTxn {
				kept = append(kept, says(ending, e)...)
				continue
			}
		case *history.Committed:
			if e.Txn == stalledTxn {
				continue
			}
		}
		kept = append(kept, e)
	}
	f.entries = kept
}

func neverAsked(*history.TxnEnding, *history.TxnEnded) []history.Entry { return nil }

// TestStallEnds: who ended the transaction that held a last stable offset.
func TestStallEnds(t *testing.T) {
	for _, c := range []struct {
		name, want string
		do         func(w *world)
	}{
		{"a commit", "commit", func(*world) {}},
		{"an abort that its worker asked for", "abort by client", func(w *world) {
			w.abort(func(ending *history.TxnEnding, ended *history.TxnEnded) []history.Entry {
				ending.Commit, ended.Commit = false, false
				return []history.Entry{ending, ended}
			})
		}},
		{"a commit that its session turned into an abort", "abort by client", func(w *world) {
			w.abort(func(ending *history.TxnEnding, ended *history.TxnEnded) []history.Entry {
				ended.Commit = false
				return []history.Entry{ending, ended}
			})
		}},
		{"a timeout", "abort by timeout", func(w *world) {
			w.abort(neverAsked)
			w.atLSO().TimeoutMillis = 1200
		}},
		{"a timeout that only the run's own settings tell", "abort by timeout", func(w *world) {
			w.abort(neverAsked)
			w.atLSO().TimeoutMillis, w.atLSO().StartMillis = 0, -1
			w.record.Shared.TransactionTimeout = 1200 * time.Millisecond
		}},
		{"a fault that aborted it past its coordinator, after its timeout too", "abort by the fault transaction-abort", func(w *world) {
			w.abort(neverAsked)
			w.atLSO().TimeoutMillis = 1200
			first := w.log("out-"+txnName, 1).batches[stalledBatch].First
			w.record.Faults = append(w.record.Faults, harness.FaultRecord{Fault: "transaction-abort",
				Lasting: []harness.Lasting{{What: harness.TransactionAborted, Topic: "out-" + txnName, Partition: 1, From: first}}})
		}},
		{"a successor's request for a producer id", "new producer epoch", func(w *world) {
			w.abort(neverAsked)
			w.addHist("transactional-0.2", "worker", txnName, 0, 2).add(&history.ProducerInit{Stamp: history.At(at(2460)), Asked: at(2440), TransactionalID: "t-0"})
		}},
		{"a successor whose history is older than such entries", "new producer epoch", func(w *world) {
			w.abort(neverAsked)
			w.addHist("transactional-0.2", "worker", txnName, 0, 2).process.At = at(2000)
		}},
		{"a successor with another transactional id", "abort that no history explains", func(w *world) {
			w.abort(neverAsked)
			w.addHist("transactional-0.2", "worker", txnName, 0, 2).add(&history.ProducerInit{Stamp: history.At(at(2460)), Asked: at(2440), TransactionalID: "t-0-random"})
		}},
		{"a request long after the marker", "abort that no history explains", func(w *world) {
			w.abort(neverAsked)
			w.addHist("transactional-0.2", "worker", txnName, 0, 2).add(&history.ProducerInit{Stamp: history.At(at(9000)), Asked: at(8990), TransactionalID: "t-0"})
		}},
		{"a timeout, and a worker that asked for the abort when it was let go on", "abort by timeout", func(w *world) {
			w.abort(func(ending *history.TxnEnding, ended *history.TxnEnded) []history.Entry {
				ending.At, ended.At = at(2750), at(2760)
				ending.Commit, ended.Commit = false, false
				return []history.Entry{ending, ended}
			})
			w.atLSO().TimeoutMillis = 1200
		}},
		{"a timeout, and a request for a producer id 0.33 s after the marker", "abort by timeout", func(w *world) {
			w.abort(neverAsked)
			w.atLSO().TimeoutMillis = 1200
			w.addHist("transactional-0.2", "worker", txnName, 0, 2).add(&history.ProducerInit{Stamp: history.At(at(2790)), Asked: at(2780), TransactionalID: "t-0"})
		}},
		{"not asked for, and no timeout passed", "abort that no history explains", func(w *world) { w.abort(neverAsked) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := stallWorld()
			c.do(w)
			report := w.judge(t)
			requireListed(t, report)
			require.Len(t, report.Stalls, 1)
			requireStall(t, report.Stalls[0], c.want)
		})
	}
}

// atLSO is the observer's naming of the stalled transaction.
func (w *world) atLSO() *history.TransactionAtLSO {
	for _, e := range w.hist("observer-samples").entries {
		if c, ok := e.(*history.TransactionAtLSO); ok {
			return c
		}
	}
	return nil
}

func requireStall(t *testing.T, s harness.Stall, want string) {
	t.Helper()
	require.Equal(t, want, s.EndedBy)
	require.Equal(t, int64(at(1000)), s.Start)
	require.Equal(t, int64(at(2500)), s.End)
	require.Equal(t, 1500*time.Millisecond, s.Length)
	require.Equal(t, "Ongoing", s.State)
	require.Equal(t, int64(at(2000)), s.StateAt)
	require.Equal(t, "CompleteAbort", s.EndState)
	require.Equal(t, int64(at(2600)), s.EndStateAt)
	require.EqualValues(t, 1, s.EndEpoch)
	require.EqualValues(t, stalledTxn, s.Txn.Ordinal)
	require.Equal(t, "transactional-0", s.Txn.By.Name)
	require.EqualValues(t, 300, s.Txn.ProducerID)
	require.EqualValues(t, 109, s.Marker.Offset)
	require.EqualValues(t, 7, s.Marker.CoordinatorEpoch)
	require.Equal(t, int64(at(2450)), s.Marker.At)
	// From 99 to below 500 there are 37 batches of ten records, one offset of markers after each.
	require.EqualValues(t, 370, s.Records)
	require.EqualValues(t, 37_000, s.Bytes)
	require.Equal(t, want == causes.EndedByNewEpoch, s.EndedByIncarnation != nil)
}

// TestStallStateAtOnset: the coordinator is asked a second after the onset, and only an answer that proves it says what the state
// was at the onset.
func TestStallStateAtOnset(t *testing.T) {
	for _, c := range []struct {
		name, state, want string
		began             uint64
	}{
		{"a transaction that is still ongoing", "Ongoing", "Ongoing", 990},
		{"one that was being ended when somebody asked", "PrepareAbort", "", 990},
		{"a later transaction of the same producer", "Ongoing", "", 1800},
		{"one whose start is not known", "Ongoing", "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := stallWorld()
			w.atLSO().State, w.atLSO().StartMillis = c.state, 0
			if c.began > 0 {
				w.atLSO().StartMillis = millis(w, at(c.began))
			}
			stalls := w.judge(t).Stalls
			require.Len(t, stalls, 1)
			require.Equal(t, c.state, stalls[0].State)
			require.Equal(t, int64(at(2000)), stalls[0].StateAt)
			require.Equal(t, c.want, stalls[0].OnsetState)
		})
	}
}

// TestStallThatNoBrokerNames: a marker that is not replicated ends a transaction for its leader, and not for readers: then the
// worker's own request for a producer id says whose it was. Of two ids it is not known which.
func TestStallThatNoBrokerNames(t *testing.T) {
	for want, ids := range map[string][]string{"t-0": {"t-0", "t-0"}, "": {"t-0", "t-1"}} {
		w := stallWorld()
		f := w.hist("observer-samples")
		f.entries = f.entries[:len(f.entries)-2]
		for _, id := range ids {
			w.hist("transactional-0").add(&history.ProducerInit{Stamp: history.At(at(1)), Asked: at(0), TransactionalID: id})
		}
		s := w.judge(t).Stalls[0]
		require.Equal(t, want, s.TransactionalID)
		require.Equal(t, want, s.Txn.TransactionalID)
		require.EqualValues(t, 300, s.ProducerID)
		require.Empty(t, s.State+s.OnsetState+s.EndState, "no coordinator was asked")
		require.Zero(t, s.StateAt)
	}
}

// TestStallStateAfterItsEnd: if no coordinator could be asked after the end, the last answer before it is kept, with its time.
func TestStallStateAfterItsEnd(t *testing.T) {
	w := stallWorld()
	f := w.hist("observer-samples")
	f.entries = f.entries[:len(f.entries)-1]
	later := *w.atLSO()
	later.At, later.State = at(2400), "PrepareAbort"
	f.add(&later)
	s := w.judge(t).Stalls[0]
	require.Equal(t, "PrepareAbort", s.EndState)
	require.Equal(t, int64(at(2400)), s.EndStateAt)
	require.EqualValues(t, -1, s.EndEpoch)
}

// TestStallStillOpen: what has not ended has nothing that ended it.
func TestStallStillOpen(t *testing.T) {
	w := stallWorld()
	for _, e := range w.hist("observer-samples").entries {
		if s, ok := e.(*history.Sample); ok && s.Topic == "out-"+txnName && s.Partition == 1 && s.At >= at(1000) {
			s.LSO, s.HW = stalledLSO, 500
		}
	}
	report := w.judge(t)
	require.Len(t, report.Stalls, 1)
	require.True(t, report.Stalls[0].Open)
	require.Empty(t, report.Stalls[0].EndedBy)
}
