package brokertest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/wait"
)

// fencedWithin is broker.session.timeout.ms (9 s), the election, and what a busy machine adds.
const fencedWithin = 25 * time.Second

func TestTargets(t *testing.T) {
	s := newStage(t)
	controller, err := ask.Of(s.Admin, 1, 2, 3).Controller(t.Context())
	require.NoError(t, err)
	layout := s.Plan.Pipelines[0]
	group, transactions := coordinator(t, s, 0, layout.Group), coordinator(t, s, 1, layout.TransactionalIDs[0])
	for target, want := range map[string]int{
		"leader of output/1": 2, "leader of p/2": 3, "controller": controller, "broker 2": 2,
		"coordinator of group": group, "coordinator of transactional id p": transactions,
	} {
		i := s.inject(t, "latency", target, map[string]any{"latency": "1ms"})
		assert.Equal(t, []int{want}, i.Resolved().Brokers, target)
		role := fmt.Sprintf("broker %d (leads output/%d", want, want-1)
		assert.Contains(t, i.Resolved().Text, role, target)
		if want == controller {
			assert.Contains(t, i.Resolved().Text, ", the controller)", target)
		} else {
			assert.Contains(t, i.Resolved().Text, ", not the controller)", target)
		}
		undo(t, i)
	}
	i := s.inject(t, "latency", "follower of output/0", map[string]any{"latency": "1ms"})
	require.Len(t, i.Resolved().Brokers, 1)
	assert.Contains(t, []int{2, 3}, i.Resolved().Brokers[0])
	undo(t, i)
	s.awaitInSync(t)
}

func TestLatencyOnClientLinks(t *testing.T) {
	s := newStage(t)
	const delay = 200 * time.Millisecond
	i := s.inject(t, "latency", "broker 1", map[string]any{"latency": delay.String(), "direction": "to"})
	require.NoError(t, wait.Sleep(t.Context(), time.Second))
	assert.GreaterOrEqual(t, s.fastest(t, 0, 2*time.Second), delay, "to broker 1")
	others := s.fastest(t, 1, time.Second)
	assert.Positive(t, others)
	assert.Less(t, others, delay, "broker 2 is left alone")
	s.heal(t, i)
	proof := onlyProof(t, i)
	assert.True(t, proof.TookEffect, proof.Text)
	assert.Contains(t, proof.Text, "delayed on ")
	assert.Less(t, s.fastest(t, 0, 3*time.Second), delay, "healed")
	assert.True(t, s.progresses(t, 0, 20*time.Second))
}

func TestPartitionOfTheLeader(t *testing.T) {
	s := newStage(t)
	i := s.inject(t, "partition", "leader of output/0", nil)
	assert.True(t, s.progresses(t, 0, 5*time.Second), "its clients still reach it")
	assert.True(t, s.progresses(t, 1, 5*time.Second), "clients of broker 2 are left alone")
	next := s.newLeader(t, 0, 1, fencedWithin)
	require.NotZero(t, next, "a follower takes over")
	require.NoError(t, wait.Sleep(t.Context(), time.Second))
	s.heal(t, i)
	proof := onlyProof(t, i)
	assert.True(t, proof.TookEffect, proof.Text)
	assert.Contains(t, proof.Text, "cut on ")
	assert.Regexp(t, fmt.Sprintf(`^leader of output/0: 1 -> %d after \d+\.\ds$`, next), effectOf(i))
	assert.True(t, s.progresses(t, 0, 20*time.Second))
	t.Log(i.Resolved().Text, "|", proof.Text, "|", effectOf(i))
}

func TestClientsLoseABrokerThatItsPeersKeep(t *testing.T) {
	s := newStage(t)
	i := s.inject(t, "partition", "leader of output/1", map[string]any{"links": "client", "direction": "from"})
	require.NoError(t, wait.Sleep(t.Context(), 500*time.Millisecond))
	assert.False(t, s.progresses(t, 1, 2*time.Second), "answers of broker 2 don't arrive")
	assert.True(t, s.progresses(t, 2, 5*time.Second))
	require.NoError(t, wait.Sleep(t.Context(), 10*time.Second))
	assert.Zero(t, s.newLeader(t, 1, 2, time.Second), "its peers don't notice")
	s.heal(t, i)
	proof := onlyProof(t, i)
	assert.True(t, proof.TookEffect, proof.Text)
	assert.Equal(t, "leadership did not move", effectOf(i))
	assert.True(t, s.progresses(t, 1, 20*time.Second))
	t.Log(proof.Text)
}

func TestBrokerKill(t *testing.T) {
	s := newStage(t)
	i := s.inject(t, "broker-kill", "leader of output/0", nil)
	nodes, err := s.cluster.Status(t.Context())
	require.NoError(t, err)
	assert.Equal(t, harness.NodeStopped, nodes[0].State)
	next := s.newLeader(t, 0, 1, fencedWithin)
	require.NotZero(t, next)
	assert.True(t, s.progresses(t, 1, 5*time.Second), "clients of broker 2 are left alone")
	require.NoError(t, wait.Sleep(t.Context(), time.Second))
	s.heal(t, i)
	proof := onlyProof(t, i)
	assert.True(t, proof.TookEffect, proof.Text)
	assert.Contains(t, effectOf(i), fmt.Sprintf("output/0: 1 -> %d after ", next))
	assert.Contains(t, proof.Text, "killed broker 1, which led output/0")
	assert.Contains(t, proof.Text, fmt.Sprintf("; leader of output/0: 1 -> %d after ", next))
	assert.True(t, s.progresses(t, 0, 20*time.Second))
	t.Log(i.Resolved().Text, "|", proof.Text, "|", effectOf(i))
}

func TestBrokerPause(t *testing.T) {
	s := newStage(t)
	i := s.inject(t, "broker-pause", "leader of output/1", nil)
	nodes, err := s.cluster.Status(t.Context())
	require.NoError(t, err)
	assert.Equal(t, harness.NodePaused, nodes[1].State)
	require.NotZero(t, s.newLeader(t, 1, 2, fencedWithin))
	require.NoError(t, wait.Sleep(t.Context(), 3*time.Second))
	s.heal(t, i)
	proof := onlyProof(t, i)
	assert.True(t, proof.TookEffect, proof.Text)
	assert.Contains(t, effectOf(i), "output/1: 2 -> ")
	assert.True(t, s.progresses(t, 1, 20*time.Second))
	t.Log(i.Resolved().Text, "|", proof.Text, "|", effectOf(i))
}
