package phase

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness/history"
)

func TestGates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reached []string
		g := NewGates(func(p history.Phase) error { reached = append(reached, p.Name); return nil })
		require.NoError(t, g.Reach(t.Context(), Polled, 1), "an open gate")
		require.Error(t, g.Arm("nowhere", 0, []string{Polled}))
		require.NoError(t, g.Arm(Polled, 0, []string{Polled}))
		require.NoError(t, g.Reach(t.Context(), Flushed, 1), "another phase")
		passed := make(chan error, 2)
		for range 2 {
			go func() { passed <- g.Reach(context.Background(), Polled, 1) }()
		}
		synctest.Wait()
		require.Empty(t, passed, "an armed gate must hold")
		g.Disarm()
		require.NoError(t, <-passed)
		require.NoError(t, <-passed)
		require.Equal(t, []string{Polled}, reached, "announced once")
		require.NoError(t, g.Arm(Polled, 0, []string{Polled}))
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		require.ErrorIs(t, g.Reach(ctx, Polled, 1), context.DeadlineExceeded)
	})
}

func TestGatesCountPasses(t *testing.T) {
	reached := make(chan string, 10)
	g := NewGates(func(p history.Phase) error { reached <- p.Name; return nil })
	phases := []string{Polled, Flushed}
	require.NoError(t, g.Arm(Polled, 2, phases))
	for range 2 {
		require.NoError(t, g.Reach(t.Context(), Polled, 1))
		require.NoError(t, g.Reach(t.Context(), Flushed, 1))
	}
	require.ErrorContains(t, g.Arm(Flushed, 0, phases), "another fault armed it")
	passed := make(chan error, 2)
	go func() { passed <- g.Reach(context.WithoutCancel(t.Context()), Polled, 1) }()
	require.Equal(t, Polled, <-reached, "the third time")
	require.NoError(t, g.Arm(Flushed, 0, phases), "one that waits goes on to the next")
	require.NoError(t, <-passed)
	go func() { passed <- g.Reach(context.WithoutCancel(t.Context()), Flushed, 1) }()
	require.Equal(t, Flushed, <-reached)
	g.Disarm()
	require.NoError(t, <-passed)
	require.NoError(t, g.Reach(t.Context(), Flushed, 1))
	require.Empty(t, reached)
}

// TestAnUnarmedGateIsFree: every worker passes every phase of every poll.
func TestAnUnarmedGateIsFree(t *testing.T) {
	g := &Gates{}
	ctx := t.Context()
	require.Zero(t, testing.AllocsPerRun(1000, func() { _ = g.Reach(ctx, Flushed, 1) }))
}
