package brokertest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/claims"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/workloads"
)

// unseen is an observer that has seen nothing: all that was offered counts as in flight.
type unseen struct{}

func (unseen) Visible(string) uint64 { return 0 }

// worked are the pipelines whose workers the faults hit here: one for each way to commit.
var worked = []string{"auto-commit", "idempotent", "transactional"}

// newWorkers starts them, or those of the given pipelines, with bursts that outlast an auto-commit interval.
func newWorkers(t *testing.T, pipelines ...string) *stage {
	t.Helper()
	if len(pipelines) == 0 {
		pipelines = worked
	}
	return startWorkers(t, harness.Experiment{
		Pipelines: pipelines, Workers: 2, Shared: harness.DefaultShared(),
		Load: harness.Load{Rate: 100, RecordSize: 100, Burst: 3000, BurstEvery: 6 * time.Second},
	})
}

// startWorkers starts an experiment's source and workers.
func startWorkers(t *testing.T, exp harness.Experiment) *stage {
	t.Helper()
	pipelines := exp.Pipelines
	exp.Pipelines = nil // those that have workers, in the catalogue's order
	c := brokers(t)
	prefix := fmt.Sprintf("workers-%d", stages.Add(1))
	plan := harness.TopicPlan{Input: prefix + "-in", Partitions: partitions, MinISR: 2}
	topics := []string{plan.Input}
	for _, info := range workloads.Infos() {
		if !slices.Contains(pipelines, info.Name) {
			continue
		}
		l := harness.PipelineLayout{PipelineInfo: info, Output: prefix + "-" + info.Name, Group: prefix + "-" + info.Name}
		for w := range exp.Workers {
			if info.Transactional {
				l.TransactionalIDs = append(l.TransactionalIDs, fmt.Sprintf("%s-%s-%d", prefix, info.Name, w))
			}
		}
		plan.Pipelines, exp.Pipelines, topics = append(plan.Pipelines, l), append(exp.Pipelines, info.Name), append(topics, l.Output)
	}
	admin, err := harness.DirectClient(c, "workers-admin")
	require.NoError(t, err)
	t.Cleanup(admin.Close)
	createTopics(t, admin, topics...)
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "history"), 0o755))
	f, err := workloads.NewFleet(harness.FleetSpec{
		Command: []string{os.Args[0]}, Dir: dir, RunID: history.RunIDOf(prefix), Cluster: c, Plan: plan, Experiment: exp,
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close(context.Background())) })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.NoError(t, f.Start(ctx))
	require.NoError(t, f.Feed(ctx))
	require.NoError(t, wait.Poll(ctx, 50*time.Millisecond, func() (bool, error) {
		return !slices.ContainsFunc(pipelines, func(name string) bool { return f.Offered(name) == 0 }), nil
	}),
		"a fault takes effect only where records are in flight")
	return &stage{cluster: c, Field: &harness.Field{Cluster: c, Admin: admin, Plan: plan, Fleet: f, Observer: unseen{}, Dir: dir, Claims: &claims.Book{}}}
}

func (s *stage) member(t *testing.T, name string) harness.Member {
	t.Helper()
	for _, m := range s.Fleet.Members() {
		if m.Name == name {
			return m
		}
	}
	require.Fail(t, "no member "+name)
	return harness.Member{}
}

// noWorker is the number of no worker.
const noWorker = -1

// awaitHeld waits until every partition of every pipeline is held again.
func (s *stage) awaitHeld(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	require.NoError(t, wait.Poll(ctx, 100*time.Millisecond, func() (bool, error) {
		held := 0
		for _, m := range s.Fleet.Members() {
			held += len(m.Partitions)
		}
		return held == len(s.Plan.Pipelines)*partitions, nil
	}))
}

func TestWorkersAreKilledAtTheirPhasesAndStartedAgain(t *testing.T) {
	s := newWorkers(t)
	i := s.inject(t, "worker-kill", "owner of output/1", map[string]any{
		"phase": map[string]any{"auto-commit": "committed", "idempotent": "flushed", "transactional": "flushed"}, "held": 50,
	})
	require.Len(t, i.Resolved().Members, 3)
	for _, name := range i.Resolved().Members {
		assert.Equal(t, harness.MemberDead, s.member(t, name).State, name)
	}
	living := 0
	for _, m := range s.Fleet.Members() {
		if m.State == harness.MemberRunning {
			living++
		}
	}
	assert.Equal(t, 4, living, "the other workers and the source are left alone")
	undo(t, i)
	undo(t, i)
	for _, name := range i.Resolved().Members {
		m := s.member(t, name)
		assert.Equal(t, harness.MemberRunning, m.State, name)
		assert.Equal(t, 2, m.Incarnation, name)
	}
	for _, proof := range i.Proofs(t.Context()) {
		t.Log(proof.Pipeline, "|", proof.Text)
		assert.True(t, proof.TookEffect, proof.Pipeline)
		assert.Regexp(t, `^killed \S+ in phase (committed|flushed) with \d+ records held$`, proof.Text)
	}
	s.awaitHeld(t)
	assert.Empty(t, s.Fleet.(harness.Lifecycle).Incidents())
}

func TestWorkersArePausedAndGoOn(t *testing.T) {
	s := newWorkers(t)
	b := s.bystander(t, 1, 2, 3)
	b.withOthers(t, 0)
	i := s.inject(t, "worker-pause", "worker 0", nil)
	s.frozen(t, i)
	require.NoError(t, wait.Sleep(t.Context(), time.Second))
	b.leftAlone(t, "while workers 0 are paused")
	kill := s.inject(t, "worker-kill", "worker 0", nil)
	undo(t, kill)
	s.frozen(t, i) // they came back, and are paused as before
	undo(t, i)
	undo(t, i)
	b.leftAlone(t, "after that")
	for _, proof := range i.Proofs(t.Context()) {
		assert.True(t, proof.TookEffect, proof.Text)
		assert.True(t, strings.HasPrefix(proof.Text, "stopped "+proof.Pipeline+"-0, which owned output/"), proof.Text)
	}
	s.awaitHeld(t)
	assert.Empty(t, s.Fleet.(harness.Lifecycle).Incidents())
}

// frozen asserts that the kernel has stopped the processes of a fault's workers.
func (s *stage) frozen(t *testing.T, i harness.Injection) {
	t.Helper()
	for _, name := range i.Resolved().Members {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.member(t, name).Pid))
		require.NoError(t, err)
		assert.Contains(t, string(stat), ") T ", name)
	}
}

func TestWorkersComeAndGoAndReturnAsOthers(t *testing.T) {
	s := newWorkers(t)
	b := s.bystander(t, 1, 2, 3)
	b.withOthers(t, noWorker)
	more := s.inject(t, "worker-scale", "all workers", nil)
	for _, l := range s.Plan.Pipelines {
		added := s.member(t, l.Name+"-2")
		assert.Equal(t, harness.MemberRunning, added.State)
		assert.Len(t, added.Partitions, 1, "three workers share three partitions")
	}
	b.leftAlone(t, "while there are more workers")
	undo(t, more)
	checkHeal(t, more, "the added workers have ended")
	s.awaitHeld(t)
	b.leftAlone(t, "after the added workers have ended")

	b.withOthers(t, 0)
	stop := s.inject(t, "worker-stop", "worker 0", nil)
	for _, name := range stop.Resolved().Members {
		assert.Equal(t, harness.MemberDead, s.member(t, name).State, name)
	}
	b.leftAlone(t, "while workers 0 are gone")
	undo(t, stop)
	checkHeal(t, stop, "workers run")
	b.leftAlone(t, "after workers 0 came back")

	before := s.transactionalIDs(t)
	kill := s.inject(t, "worker-kill", "worker 1", map[string]any{"identity": "new"})
	undo(t, kill)
	s.awaitHeld(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	require.NoError(t, wait.Poll(ctx, 100*time.Millisecond, func() (bool, error) {
		return len(s.transactionalIDs(t)) == len(before)+1, nil
	}), "one transactional id more than %v", before)
	for _, i := range []harness.Injection{more, stop, kill} {
		for _, proof := range i.Proofs(t.Context()) {
			t.Log(proof.Pipeline, "|", proof.Text)
			assert.True(t, proof.TookEffect, proof.Text)
		}
	}
	assert.Empty(t, s.Fleet.(harness.Lifecycle).Incidents(), "a worker that is asked to end does so in order")
}

// transactionalIDs lists those of this stage that any coordinator knows.
func (s *stage) transactionalIDs(t *testing.T) []string {
	t.Helper()
	prefix := strings.TrimSuffix(s.Plan.Input, "-in")
	var ids []string
	for _, node := range s.cluster.Info().Nodes {
		resp, err := ask.First[*kmsg.ListTransactionsResponse](t.Context(), ask.Of(s.Admin, node), kmsg.NewPtrListTransactionsRequest())
		require.NoError(t, err)
		for _, state := range resp.TransactionStates {
			if strings.HasPrefix(state.TransactionalID, prefix) {
				ids = append(ids, state.TransactionalID)
			}
		}
	}
	return ids
}
