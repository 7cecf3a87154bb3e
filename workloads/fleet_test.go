package workloads

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
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
			require.NoError(t, r.Arm(within(t, 10*time.Second), first, PhaseProcessed))
			require.NoError(t, r.Await(within(t, 20*time.Second), first))
			require.NoError(t, r.Pause(within(t, 10*time.Second), first))
			require.Equal(t, harness.MemberPaused, r.member(first).State)
			eventually(t, "the other has every partition", func() bool { return len(r.member(second).Partitions) == partitions })
			require.NoError(t, r.Resume(within(t, 10*time.Second), first))
			require.NoError(t, r.Release(within(t, 10*time.Second), first))
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
			require.NotEmpty(t, of[*history.Revoked](r.entries(first)))
		})
	}
}

func TestRestartedSourceGoesOnWhereNothingWasIntended(t *testing.T) {
	t.Parallel()
	r := newRig(t, 0, testLoad(), "acks1")
	r.start()
	r.offer("acks1", 700)
	require.NoError(t, r.Kill(within(t, 10*time.Second), "source-acks1"))
	require.ErrorIs(t, r.Pause(t.Context(), "source-acks1"), os.ErrProcessDone)
	before := r.Offered("acks1")
	require.NoError(t, r.Restart(within(t, 20*time.Second), "source-acks1"))
	require.ErrorContains(t, r.Restart(within(t, 20*time.Second), "source-acks1"), "it is running")
	r.offer("acks1", before+700)
	r.finish()
	require.Empty(t, r.Incidents(), "a kill by the run is no incident")
	var next uint64
	entries := r.entries("source-acks1")
	for _, e := range of[*history.Intent](entries) {
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
	for seq := range ackedBy(entries) {
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
	require.ErrorContains(t, r.Await(within(t, time.Second), "idempotent-0"), "is dead")
	require.ErrorContains(t, r.Arm(within(t, time.Second), "idempotent-0", PhaseFlushed), "it is dead")
}

func TestStartFailsWithTheLog(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1, testLoad(), "idempotent")
	r.spec.Command = []string{"/bin/sh", "-c", "echo no such worker >&2; exit 7"}
	err := r.Start(within(t, 20*time.Second))
	require.ErrorContains(t, err, "exit status 7; its log ends: no such worker")
}

func TestArmRefusesAnUnknownPhase(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1, testLoad(), "auto-commit")
	r.start()
	require.ErrorContains(t, r.Arm(within(t, 10*time.Second), "auto-commit-0", PhaseFlushed), `no phase "flushed"`)
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
	require.Less(t, time.Since(begin), 15*time.Second)
	for _, m := range r.Members() {
		require.Equal(t, harness.MemberDead, m.State)
	}
	for _, h := range r.Histories() {
		if h.Role == roleSource {
			require.NotZero(t, settled(t, r.entries(h.Process), history.OutcomeUnknown))
		}
	}
}

// TestOrphanEndsAtOnce closes a worker's standard input: the harness is gone.
func TestOrphanEndsAtOnce(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.SeedTopics(partitions, "in"))
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	dials, _ := fakeCluster{kfake: cluster}.ClientLinks(t.Context(), "")
	in, stdin := io.Pipe()
	events, out := io.Pipe()
	go func() { _, _ = io.Copy(io.Discard, events) }()
	done := make(chan error, 1)
	go func() { done <- RunProcess(t.Context(), in, out) }()
	s := spec{
		Name: "source-input", Role: roleSource, Incarnation: 1, Bootstrap: cluster.ListenAddrs(), Dials: dials, Output: "in",
		History: filepath.Join(t.TempDir(), "s.hist"), Partitions: partitions, Shared: testShared(), Load: testLoad(),
	}
	enc := json.NewEncoder(stdin)
	require.NoError(t, enc.Encode(s))
	require.NoError(t, enc.Encode(command{ID: 1, Do: doFeed}))
	require.NoError(t, enc.Encode(command{ID: 2, Do: doFeed}), "feeding twice changes nothing")
	require.NoError(t, stdin.Close())
	select {
	case err := <-done:
		require.ErrorIs(t, err, errOrphaned)
	case <-within(t, 10*time.Second).Done():
		require.Fail(t, "the orphan still runs")
	}
}

func TestProcessRefusesNonsense(t *testing.T) {
	require.ErrorContains(t, RunProcess(t.Context(), strings.NewReader("hello\n"), io.Discard), "process specification")
	err := RunProcess(t.Context(), strings.NewReader(`{"name":"x","pipeline":"exactly-twice"}`), io.Discard)
	require.ErrorContains(t, err, "unknown pipeline")
}

func TestGates(t *testing.T) {
	var told []string
	g := &gates{at: func(p history.Phase) error { told = append(told, p.Name); return nil }}
	require.NoError(t, g.reach(t.Context(), PhasePolled, 1), "an open gate")
	require.Error(t, g.arm("nowhere", 0, []string{PhasePolled}))
	require.NoError(t, g.arm(PhasePolled, 0, []string{PhasePolled}))
	require.NoError(t, g.reach(t.Context(), PhaseFlushed, 1), "another phase")
	passed := make(chan error, 2)
	for range 2 {
		go func() { passed <- g.reach(context.WithoutCancel(t.Context()), PhasePolled, 1) }()
	}
	select {
	case <-passed:
		require.Fail(t, "an armed gate must hold")
	case <-within(t, 50*time.Millisecond).Done():
	}
	g.disarm()
	require.NoError(t, <-passed)
	require.NoError(t, <-passed)
	require.Equal(t, []string{PhasePolled}, told, "announced once")
	require.NoError(t, g.arm(PhasePolled, 0, []string{PhasePolled}))
	require.ErrorIs(t, g.reach(within(t, time.Millisecond), PhasePolled, 1), context.DeadlineExceeded)
}
