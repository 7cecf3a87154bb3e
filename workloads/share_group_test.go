package workloads

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/workloads/internal/recorded"
	"github.com/chaeos/chaeos/workloads/phase"
)

// TestShareGroupGivesUpWhatKillsItsWorkers: a record is handed out a number of times and no more. If its worker dies each
// time, it is lost, and nothing else is. The fake brokers notice a death only when locks and sessions end, so these end soon.
func TestShareGroupGivesUpWhatKillsItsWorkers(t *testing.T) {
	t.Parallel()
	const name, most = "share-group", 20
	configs := map[string]string{
		"group.share.delivery.count.limit":    "2",
		"group.share.record.lock.duration.ms": "2000",
		"share.record.lock.sweep.interval.ms": "100",
		"group.share.session.timeout.ms":      "2000",
		"group.share.heartbeat.interval.ms":   "200",
	}
	r := setup{workers: 1, load: testLoad(), shared: testShared(), configs: configs}.rig(t, name)
	r.start()
	r.offer(name, 400)
	require.NoError(t, r.Arm(soon(t), name+"-0", phase.Polled))
	require.NoError(t, r.Await(soon(t), name+"-0"))
	require.NoError(t, r.StopSources(soon(t)))
	handed := func() bool {
		done := false
		eventually(t, "records in hand, or none left", func() bool {
			done = r.drained(r.plan.Pipelines[0])
			return done || r.member(name+"-0").WaitingAt != ""
		})
		return !done
	}
	for deaths := 0; handed(); deaths++ {
		require.Less(t, deaths, most, "a worker that dies with all it gets comes to an end")
		require.NoError(t, r.Kill(soon(t), name+"-0"))
		require.NoError(t, r.Restart(soon(t), name+"-0"))
		require.NoError(t, r.Arm(soon(t), name+"-0", phase.Polled))
	}
	r.finish()
	require.Empty(t, r.Incidents())
	lost, _ := lostAndDoubled(r.counts(name))
	require.NotZero(t, lost)
	acknowledged := map[recorded.Location]bool{}
	for _, e := range recorded.Of[*history.Acknowledged](r.entries(name + "-0")) {
		for _, x := range e.Ranges {
			for offset := x.From; offset < x.To; offset++ {
				acknowledged[recorded.At(x.Partition, offset)] = true
			}
		}
	}
	got := map[history.Identity]bool{}
	for _, v := range r.outputsOf(name) {
		got[v.Identity] = true
	}
	for _, v := range r.readAll("in") {
		require.Equal(t, got[v.Identity], acknowledged[recorded.At(v.partition, v.offset)], "lost is what was never acknowledged")
	}
}
