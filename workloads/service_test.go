package workloads

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/effects"
	"github.com/chaeos/chaeos/workloads/phase"
	"github.com/chaeos/chaeos/workloads/protocol"
)

func quiet() harness.Load { return harness.Load{Rate: 60, RecordSize: 100} }

// TestKillAroundTheCall kills a worker between the service's confirmation and the commit, or between the commit and the
// call, and counts effects at the service.
func TestKillAroundTheCall(t *testing.T) {
	for name, want := range map[string]struct {
		phase          string
		loses, repeats bool
	}{
		"notify-then-commit":     {phase.Notified, false, true},
		"notify-in-transaction":  {phase.Notified, false, true},
		"notify-idempotency-key": {phase.Notified, false, false},
		"commit-then-notify":     {phase.Committed, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 2, quiet(), name)
			held := r.killAt(name, want.phase)
			lost, doubled := lostAndDoubled(r.counts(name))
			require.NotZero(t, held)
			require.Equal(t, int(held)*boolean(want.loses), lost)
			require.Equal(t, int(held)*boolean(want.repeats), doubled)
		})
	}
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestServiceThatStoresAndDoesNotAnswer: it hangs, fails and dies with the effect stored. Who calls again gets a second
// effect, unless the service knows the key.
func TestServiceThatStoresAndDoesNotAnswer(t *testing.T) {
	for name, doubles := range map[string]bool{"notify-then-commit": true, "notify-idempotency-key": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 1, quiet(), name)
			r.start()
			r.offer(name, 100)
			require.NoError(t, r.Arm(soon(t), protocol.ServiceName, phase.Stored))
			require.NoError(t, r.Await(soon(t), protocol.ServiceName))
			require.NoError(t, r.Kill(soon(t), protocol.ServiceName))
			require.NoError(t, r.Restart(soon(t), protocol.ServiceName))
			require.NoError(t, r.Arm(soon(t), protocol.ServiceName, phase.Failing))
			require.NoError(t, r.Await(soon(t), protocol.ServiceName))
			require.NoError(t, r.Release(soon(t), protocol.ServiceName))
			r.offer(name, r.Offered(name)+100)
			r.finish()
			require.Empty(t, r.Incidents())
			store, err := effects.Open(effects.Path(r.dir))
			require.NoError(t, err)
			unconfirmed, err := store.Unconfirmed(t.Context(), name)
			require.NoError(t, err)
			require.NoError(t, store.Close())
			require.GreaterOrEqual(t, unconfirmed, int64(2), "one that it died with, one that it answered with an error")
			lost, doubled := lostAndDoubled(r.counts(name))
			require.Zero(t, lost)
			require.Equal(t, doubles, doubled >= 2, "%d doubled", doubled)
			require.True(t, doubles || doubled == 0)
		})
	}
}

// TestServiceThatForgetsItsKeys: what comes again with a key that the service no longer knows is done again.
func TestServiceThatForgetsItsKeys(t *testing.T) {
	t.Parallel()
	const name, worker = "notify-idempotency-key", "notify-idempotency-key-0"
	r := newRig(t, 2, quiet(), name)
	ctx := soon(t)
	r.start()
	r.offer(name, 100)
	require.NoError(t, r.Arm(ctx, worker, phase.Notified))
	require.NoError(t, r.Await(ctx, worker))
	held := r.member(worker).Held
	require.NotZero(t, held)
	require.NoError(t, r.Kill(ctx, worker))
	require.NoError(t, r.Arm(ctx, protocol.ServiceName, phase.Forgetting))
	require.NoError(t, r.Await(ctx, protocol.ServiceName), "the other worker calls")
	require.NoError(t, r.Release(ctx, protocol.ServiceName))
	require.NoError(t, r.Restart(ctx, worker))
	r.offer(name, r.Offered(name)+100)
	r.finish()
	require.Empty(t, r.Incidents())
	lost, doubled := lostAndDoubled(r.counts(name))
	require.Zero(t, lost)
	require.Equal(t, int(held), doubled)
}
