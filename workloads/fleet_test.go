package workloads

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/workloads/internal/recorded"
	"github.com/chaeos/chaeos/workloads/phase"
	"github.com/chaeos/chaeos/workloads/protocol"
)

func TestFleetNamesItsMembers(t *testing.T) {
	r := newRig(t, 2, testLoad(), "idempotent", "acks1")
	var names []string
	for _, m := range r.Members() {
		names = append(names, m.Name)
		require.Equal(t, harness.MemberDead, m.State, "nothing runs before Start")
	}
	require.Equal(t, []string{"idempotent-0", "idempotent-1", "source-acks1", "source-input"}, names)
	_, err := NewFleet(harness.FleetSpec{
		Command: []string{"x"}, Dir: t.TempDir(), Cluster: fakeCluster{kfake: r.kfake},
		Plan: harness.TopicPlan{Pipelines: []harness.PipelineLayout{{PipelineInfo: harness.PipelineInfo{Name: "exactly-twice"}}}},
	})
	require.ErrorContains(t, err, "exactly-twice")
}

// TestPausedWorkerIsReplacedAndFenced pauses a worker past its session: the other takes its partitions, and what the
// first holds when it wakes up must not count twice where that is promised.
func TestPausedWorkerIsReplacedAndFenced(t *testing.T) {
	for _, name := range []string{"commit-first", "idempotent", "transactional", "transactional-manual", "transactional-no-metadata"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 2, harness.Load{Rate: 300, RecordSize: 100}, name)
			r.start()
			r.offer(name, 300)
			first, second := name+"-0", name+"-1"
			require.NoError(t, r.Arm(soon(t), first, phase.Processed))
			require.NoError(t, r.Await(soon(t), first))
			require.NoError(t, r.Pause(soon(t), first))
			require.Equal(t, harness.MemberPaused, r.member(first).State)
			eventually(t, "the other has every partition", func() bool { return len(r.member(second).Partitions) == partitions })
			require.NoError(t, r.Resume(soon(t), first))
			require.NoError(t, r.Release(soon(t), first))
			require.Empty(t, r.member(first).WaitingAt)
			eventually(t, "the first has partitions again", func() bool {
				return len(r.member(first).Partitions) > 0 && len(r.member(second).Partitions) < partitions
			})
			r.finish()
			require.Empty(t, r.Incidents())
			lost, doubled := lostAndDoubled(r.counts(name))
			require.Zero(t, lost)
			switch name {
			case "commit-first", "transactional", "transactional-manual":
				require.Zero(t, doubled)
			case "transactional-no-metadata":
				require.NotZero(t, doubled, "a zombie's commit is taken")
			}
			require.NotEmpty(t, recorded.Of[*history.Revoked](r.entries(first)))
		})
	}
}

func TestRestartedSourceGoesOnWhereNothingWasIntended(t *testing.T) {
	t.Parallel()
	r := newRig(t, 0, testLoad(), "acks1")
	r.start()
	r.offer("acks1", 700)
	require.NoError(t, r.Kill(soon(t), "source-acks1"))
	require.ErrorIs(t, r.Pause(t.Context(), "source-acks1"), os.ErrProcessDone)
	before := r.Offered("acks1")
	require.NoError(t, r.Restart(soon(t), "source-acks1"))
	require.ErrorContains(t, r.Restart(soon(t), "source-acks1"), "it is running")
	r.offer("acks1", before+700)
	r.finish()
	require.Empty(t, r.Incidents(), "a kill by the run is no incident")
	var next uint64
	entries := r.entries("source-acks1")
	for _, e := range recorded.Of[*history.Intent](entries) {
		require.Equal(t, next, e.First)
		next += e.Count
	}
	seen := map[uint64]bool{}
	for _, v := range r.readAll("out-acks1") {
		require.False(t, seen[v.Sequence], "a sequence is sent by one incarnation only")
		seen[v.Sequence] = true
	}
	require.Len(t, r.Histories(), 2)
	require.True(t, r.Histories()[0].Killed)
	require.False(t, r.Histories()[1].Killed)
	require.Equal(t, 2, r.Histories()[1].Incarnation)
	for seq := range recorded.Acked(entries) {
		require.True(t, seen[seq])
	}
}

func TestUnplannedEndIsAnIncident(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1, testLoad(), "idempotent")
	r.start()
	require.NoError(t, syscall.Kill(r.member("idempotent-0").Pid, syscall.SIGKILL))
	eventually(t, "an incident", func() bool { return len(r.Incidents()) == 1 })
	require.Contains(t, r.Incidents()[0], "idempotent-0 (incarnation 1) ended by itself: signal: killed")
	require.ErrorContains(t, r.Await(soon(t), "idempotent-0"), "is dead")
	require.ErrorContains(t, r.Arm(soon(t), "idempotent-0", phase.Flushed), "it is dead")
}

func TestStartFailsWithTheLog(t *testing.T) {
	t.Parallel()
	command := []string{"/bin/sh", "-c", "echo no such worker >&2; exit 7"}
	r := setup{workers: 1, load: testLoad(), shared: testShared(), command: command}.rig(t, "idempotent")
	err := r.Start(soon(t))
	require.ErrorContains(t, err, "exit status 7; its log ends: no such worker")
}

func TestArmRefusesAnUnknownPhase(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1, testLoad(), "auto-commit")
	r.start()
	require.ErrorContains(t, r.Arm(soon(t), "auto-commit-0", phase.Flushed), `no phase "flushed"`)
}

// TestStopKillsAtTheDeadline takes the brokers away, so that no worker can finish.
func TestStopKillsAtTheDeadline(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1, testLoad(), "idempotent", "transactional", "auto-commit")
	r.start()
	r.offer("idempotent", 500)
	r.kfake.Close()
	begin := time.Now()
	require.NoError(t, r.StopSources(within(t, 4*time.Second)), "a source that drains too late ends in order")
	require.NoError(t, r.StopWorkers(within(t, 4*time.Second)))
	require.Less(t, time.Since(begin), time.Minute)
	for _, m := range r.Members() {
		require.Equal(t, harness.MemberDead, m.State)
	}
	for _, h := range r.Histories() {
		if h.Role == protocol.RoleSource {
			require.NotZero(t, recorded.WithReason(r.entries(h.Process), history.OutcomeUnknown))
		}
	}
}

// TestAnArmedPhaseIsTheNth: the worker counts its passes, so that the transaction a fault hits is the one that was meant.
func TestAnArmedPhaseIsTheNth(t *testing.T) {
	t.Parallel()
	const name = "transactional-0"
	r := newRig(t, 1, harness.Load{Rate: 500, RecordSize: 100}, "transactional")
	r.start()
	r.offer("transactional", 300)
	ctx := soon(t)
	require.NoError(t, r.Arm(ctx, name, phase.Flushed))
	require.NoError(t, r.Await(ctx, name))
	require.NoError(t, r.ArmAfter(ctx, name, phase.OffsetsSent, 2), "from the phase it waits at")
	require.NoError(t, r.Await(ctx, name))
	require.Equal(t, phase.OffsetsSent, r.member(name).WaitingAt)
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
	require.Equal(t, []string{phase.Flushed, phase.OffsetsSent}, phases)
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
