package workloads

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/workloads/internal/recorded"
	"github.com/chaeos/chaeos/workloads/phase"
)

// seen returns how often each sequence is visible in a producer's own topic.
func (r *rig) seen(pipeline string) map[history.Identity]int {
	r.t.Helper()
	n := map[history.Identity]int{}
	for _, v := range r.readAll("out-" + pipeline) {
		require.False(r.t, v.isOutput)
		n[v.Identity]++
	}
	return n
}

// steady is a pace without bursts: every block of a transacting source has as many records.
func steady() harness.Load { return harness.Load{Rate: 400, RecordSize: 100} }

func TestProducersLoseAndDoubleNothingWithoutFaults(t *testing.T) {
	for _, info := range Infos() {
		if !info.ProducerOnly {
			continue
		}
		t.Run(info.Name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 0, steady(), info.Name)
			r.start()
			r.offer(info.Name, 600)
			r.finish()
			require.Empty(t, r.Incidents())
			n := r.seen(info.Name)
			lost, doubled := lostAndDoubled(n)
			require.Zero(t, lost+doubled)
			entries := r.entries("source-" + info.Name)
			intended := uint64(0)
			for _, e := range recorded.Of[*history.Intent](entries) {
				require.Equal(t, intended, e.First, "sequences are dense")
				intended += e.Count
			}
			require.Equal(t, int(intended), len(n))
			settled := recorded.Of[*history.Resolved](entries)
			if info.Name == "acks0" {
				require.Empty(t, recorded.Of[*history.Acked](entries), "nothing is ever acknowledged")
				require.True(t, settled[0].Sent)
				return
			}
			require.Empty(t, settled)
			require.Equal(t, int(intended), len(recorded.Acked(entries)))
		})
	}
}

// killSourceAt kills a producer when it waits at the phase, restarts it, and finishes the run.
func (r *rig) killSourceAt(pipeline, phase string) {
	r.t.Helper()
	r.start()
	r.offer(pipeline, 400)
	name := "source-" + pipeline
	if phase != "" {
		require.NoError(r.t, r.Arm(soon(r.t), name, phase))
		require.NoError(r.t, r.Await(soon(r.t), name))
	}
	require.NoError(r.t, r.Kill(soon(r.t), name))
	require.NoError(r.t, r.Restart(soon(r.t), name))
	r.offer(pipeline, r.Offered(pipeline)+400)
	r.finish()
	require.Empty(r.t, r.Incidents())
}

// requireDense requires that no sequence below the highest is missing.
func requireDense(t *testing.T, n map[history.Identity]int) {
	t.Helper()
	highest := uint64(0)
	for id := range n {
		highest = max(highest, id.Sequence)
	}
	require.Equal(t, int(highest)+1, len(n), "records that are there, of all up to the last")
}

// The records of the half second since its last checkpoint come twice, all of them and no others.
func TestIdempotentRestartDoublesWhatItHadNotCheckpointed(t *testing.T) {
	r := newRig(t, 0, steady(), "idempotent-restart")
	r.killSourceAt("idempotent-restart", phase.Acked)
	n := r.seen("idempotent-restart")
	_, doubled := lostAndDoubled(n)
	waited := recorded.Of[*history.Phase](r.entries("source-idempotent-restart"))
	require.NotZero(t, doubled)
	require.Equal(t, int(waited[0].Held), doubled)
	requireDense(t, n)
}

func TestIdempotentRestartDoublesNothingAfterItsCheckpoint(t *testing.T) {
	r := newRig(t, 0, steady(), "idempotent-restart")
	r.killSourceAt("idempotent-restart", phase.Checkpointed)
	_, doubled := lostAndDoubled(r.seen("idempotent-restart"))
	require.Zero(t, doubled)
}

func TestTransactionalProducerFindsItsPlace(t *testing.T) {
	for _, name := range []string{"transactional-producer", "transactional-producer-random-id"} {
		for _, at := range []string{phase.Flushed, phase.Committing, phase.Committed} {
			t.Run(name+"/"+at, func(t *testing.T) {
				t.Parallel()
				r := newRig(t, 0, steady(), name)
				r.killSourceAt(name, at)
				n := r.seen(name)
				_, doubled := lostAndDoubled(n)
				require.Zero(t, doubled)
				requireDense(t, n)
				require.LessOrEqual(t, len(recorded.Acked(r.entries("source-"+name))), len(n))
			})
		}
	}
}

func TestTheOlderOfTwoProducersIsFenced(t *testing.T) {
	r := newRig(t, 0, steady(), "two-producers-one-id")
	r.start()
	r.offer("two-producers-one-id", 3000)
	r.finish()
	n := r.seen("two-producers-one-id")
	_, doubled := lostAndDoubled(n)
	requireDense(t, n)
	require.Zero(t, doubled)
	entries := r.entries("source-two-producers-one-id")
	require.Len(t, recorded.Of[*history.TxnRecords](entries), len(recorded.Of[*history.TxnBegin](entries)), "each says which records it holds")
	refused := 0
	for _, e := range recorded.Of[*history.TxnEnded](entries) {
		if e.Outcome != history.OutcomeConfirmed {
			refused++
			require.True(t, e.Commit)
			require.Equal(t, history.OutcomeFailed, e.Outcome, "one request, and one answer that proves it")
			require.Regexp(t, "FENCED|INVALID_PRODUCER_EPOCH|INVALID_TXN_STATE" /* kfake's word */, e.Reason)
		}
	}
	require.GreaterOrEqual(t, refused, 1)
}
