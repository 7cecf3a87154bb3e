package workloads

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

func TestGatesCountPasses(t *testing.T) {
	told := make(chan string, 10)
	g := &gates{at: func(p history.Phase) error { told <- p.Name; return nil }}
	phases := []string{PhasePolled, PhaseFlushed}
	require.NoError(t, g.arm(PhasePolled, 2, phases))
	for range 2 {
		require.NoError(t, g.reach(t.Context(), PhasePolled, 1))
		require.NoError(t, g.reach(t.Context(), PhaseFlushed, 1))
	}
	require.ErrorContains(t, g.arm(PhaseFlushed, 0, phases), "another fault armed it")
	passed := make(chan error, 2)
	go func() { passed <- g.reach(context.WithoutCancel(t.Context()), PhasePolled, 1) }()
	require.Equal(t, PhasePolled, <-told, "the third time")
	require.NoError(t, g.arm(PhaseFlushed, 0, phases), "one that waits goes on to the next")
	require.NoError(t, <-passed)
	go func() { passed <- g.reach(context.WithoutCancel(t.Context()), PhaseFlushed, 1) }()
	require.Equal(t, PhaseFlushed, <-told)
	g.disarm()
	require.NoError(t, <-passed)
	require.NoError(t, g.reach(t.Context(), PhaseFlushed, 1))
	require.Empty(t, told)
}

// TestAGateThatNobodyArmedIsFree: every worker passes every phase of every poll.
func TestAGateThatNobodyArmedIsFree(t *testing.T) {
	g := &gates{}
	ctx := t.Context()
	require.Zero(t, testing.AllocsPerRun(1000, func() { _ = g.reach(ctx, PhaseFlushed, 1) }))
}

// TestAnArmedPhaseIsTheNth: the worker counts its passes, so that the transaction a fault hits is the one that was meant.
func TestAnArmedPhaseIsTheNth(t *testing.T) {
	t.Parallel()
	const name = "transactional-0"
	r := newRig(t, 1, harness.Load{Rate: 500, RecordSize: 100}, "transactional")
	r.start()
	r.offer("transactional", 300)
	ctx := within(t, 30*time.Second)
	require.NoError(t, r.Arm(ctx, name, PhaseFlushed))
	require.NoError(t, r.Await(ctx, name))
	require.NoError(t, r.ArmAfter(ctx, name, PhaseOffsetsSent, 2), "from the phase it waits at")
	require.NoError(t, r.Await(ctx, name))
	require.Equal(t, PhaseOffsetsSent, r.member(name).WaitingAt)
	require.NoError(t, r.Release(ctx, name))
	r.finish()
	require.Empty(t, r.Incidents())

	var phases []string
	begun := 0
	for _, e := range r.entries(name) {
		switch e := e.(type) {
		case *history.Phase:
			phases = append(phases, e.Name)
		case *history.TxnBegin:
			if len(phases) == 1 {
				begun++
			}
		}
	}
	require.Equal(t, []string{PhaseFlushed, PhaseOffsetsSent}, phases)
	require.Equal(t, 2, begun, "the end of the transaction that was open is the first of three")
}

func TestAckedBySource(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1, harness.Load{Rate: 500, RecordSize: 100}, "acks1", "idempotent")
	r.start()
	r.offer("idempotent", 200)
	r.offer("acks1", 200)
	eventually(t, "acknowledgements of both", func() bool { return r.Acked("acks1") >= 100 && r.Acked("idempotent") >= 100 })
	r.finish()
	require.Equal(t, r.Acked(""), r.Acked("acks1")+r.Acked("idempotent"))
	require.Equal(t, r.Offered("idempotent"), r.Acked("idempotent"), "the shared source's")
}
