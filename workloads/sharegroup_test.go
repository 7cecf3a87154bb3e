package workloads

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness/history"
)

// TestShareGroupGivesUpWhatKillsItsWorkers: a record is handed out so often and no more. Whoever dies with it in hand each
// time loses it, and it is all that is lost.
func TestShareGroupGivesUpWhatKillsItsWorkers(t *testing.T) {
	t.Parallel()
	const name, limit = "share-group", 5
	r := newRig(t, 1, testLoad(), name)
	r.start()
	r.offer(name, 400)
	for range limit {
		require.NoError(t, r.Arm(within(t, 10*time.Second), name+"-0", PhasePolled))
		require.NoError(t, r.Await(within(t, 60*time.Second), name+"-0"))
		require.NoError(t, r.Kill(within(t, 10*time.Second), name+"-0"))
		require.NoError(t, r.Restart(within(t, 30*time.Second), name+"-0"))
	}
	r.offer(name, r.Offered(name)+400)
	r.finish()
	require.Empty(t, r.Incidents())
	lost, _ := lostAndDoubled(r.counts(name))
	require.NotZero(t, lost)
	acknowledged := map[place]bool{}
	for _, e := range of[*history.Acknowledged](r.entries(name + "-0")) {
		for _, x := range e.Ranges {
			for offset := x.From; offset < x.To; offset++ {
				acknowledged[place{x.Partition, offset}] = true
			}
		}
	}
	got := map[history.Identity]bool{}
	for _, v := range r.outputsOf(name) {
		got[v.Identity] = true
	}
	for _, v := range r.readAll("in") {
		require.Equal(t, got[v.Identity], acknowledged[place{v.partition, v.offset}], "lost is what was never acknowledged")
	}
}
