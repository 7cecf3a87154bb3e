package toxics

import (
	"context"
	"errors"
	"regexp"
	"runtime"
	"testing"

	"github.com/chaeos/chaeos/harness"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBrokerKill(t *testing.T) {
	s := newStage(t)
	i := s.inject(t, "broker-kill", "leader of output/0", nil)
	assert.Equal(t, []string{"kill 1"}, s.cluster.called())
	for _, topic := range []string{"out-p", "out-q"} {
		require.NoError(t, s.kafka.MoveTopicPartition(topic, 0, 2))
	}
	effect := i.(interface{ Reacted() string }).Reacted
	moved := regexp.MustCompile(`^leader of output/0: 1 -> 2 after \d+\.\ds$`)
	await(t, "every pipeline's leader moved", func() bool { return moved.MatchString(effect()) })
	require.NoError(t, i.Heal(t.Context()))
	require.NoError(t, i.Heal(t.Context()))
	assert.Equal(t, []string{"kill 1", "start 1"}, s.cluster.called())
	proof := proofOf(t, i, "p")
	assert.True(t, proof.TookEffect)
	assert.Contains(t, proof.Text, "killed broker 1, which led output/0")
	assert.Regexp(t, moved, effect())
}

func TestBrokerPause(t *testing.T) {
	s := newStage(t)
	i := s.inject(t, "broker-pause", "broker 2", nil)
	assert.Equal(t, []int32{1}, i.Resolved().Partitions)
	require.NoError(t, i.Heal(t.Context()))
	require.NoError(t, i.Heal(t.Context()))
	assert.Equal(t, []string{"pause 2", "resume 2"}, s.cluster.called())
	assert.Equal(t, "leadership did not move", i.(interface{ Reacted() string }).Reacted())
}

func TestBrokerFaultsHealAfterAnError(t *testing.T) {
	for fault, want := range map[string][]string{
		"broker-kill":  {"start 1", "start 3"},
		"broker-pause": {"resume 1", "resume 3"},
	} {
		s := newStage(t)
		s.cluster.failing(fault[len("broker-"):]+" 2", errors.New("no"))
		i, err := s.try(t.Context(), t, fault, "all brokers", nil)
		require.ErrorContains(t, err, "no")
		require.NotNil(t, i)
		s.cluster.failing(want[0], errors.New("not yet"))
		require.ErrorContains(t, i.Heal(t.Context()), "not yet")
		s.cluster.failing(want[0], nil)
		require.NoError(t, i.Heal(t.Context()), "healed at the second try")
		assert.Subset(t, s.cluster.called(), want)
		assert.NotContains(t, s.cluster.called(), want[0][:len(want[0])-1]+"2", "what wasn't hit is left alone")
	}
}

func TestBrokerKillHealsUnderACancelledContext(t *testing.T) {
	s := newStage(t)
	ctx, cancel := context.WithCancel(t.Context())
	i, err := s.try(ctx, t, "broker-kill", "broker 1", nil)
	require.NoError(t, err)
	cancel()
	require.NoError(t, i.Heal(ctx))
	assert.Equal(t, []string{"kill 1", "start 1"}, s.cluster.called())
}

func TestBrokerThatServesNothingTakesNoEffect(t *testing.T) {
	s := newStage(t)
	for p := range int32(3) {
		require.NoError(t, s.kafka.MoveTopicPartition("out-q", p, 1))
	}
	i := s.inject(t, "broker-pause", "broker 3", nil)
	require.NoError(t, i.Heal(t.Context()))
	proof := proofOf(t, i, "q")
	assert.False(t, proof.TookEffect)
	assert.Equal(t, "no broker that was hit led or coordinated anything of it", proof.Text)
}

func TestWorkerKillAtAPhase(t *testing.T) {
	s := newStage(t)
	i := s.inject(t, "worker-kill", "owner of output/1", map[string]any{
		"phase": map[string]any{"p": "flushed"}, "held": 3,
	})
	assert.Equal(t, []string{
		"arm flushed p-1", "release p-1", "arm flushed p-1", "release p-1", "arm flushed p-1", "kill p-1",
	}, s.fleet.called(), "let pass until it holds enough")
	assert.Equal(t, []int32{1}, i.Resolved().Partitions)
	require.NoError(t, i.Heal(t.Context()))
	require.NoError(t, i.Heal(t.Context()))
	assert.Equal(t, "restart p-1", s.fleet.called()[6])
	assert.Len(t, s.fleet.called(), 7)
	proof := proofOf(t, i, "p")
	assert.True(t, proof.TookEffect)
	assert.Equal(t, "killed p-1 in phase flushed with 3 records held", proof.Text)
	assert.False(t, proofOf(t, i, "q").TookEffect, "it has no workers")
}

func TestWorkerKillWithoutAPhaseAndForEver(t *testing.T) {
	s := newStage(t)
	i := s.inject(t, "worker-kill", "worker 0", map[string]any{"restart": "never"})
	require.NoError(t, i.Heal(t.Context()))
	assert.Equal(t, []string{"kill p-0"}, s.fleet.called())
	assert.True(t, proofOf(t, i, "p").TookEffect)
}

func TestWorkerKillThatNeverReachesItsPhaseLetsGo(t *testing.T) {
	s := newStage(t)
	s.fleet.never["p-0"] = true
	i, err := s.try(t.Context(), t, "worker-kill", "owner of output/0", map[string]any{"phase": "flushed", "within": "1s"})
	require.ErrorContains(t, err, "worker p-0: waiting for phase flushed")
	require.ErrorContains(t, err, "not there within 1s")
	require.NoError(t, i.Heal(t.Context()))
	assert.Equal(t, []string{"arm flushed p-0", "release p-0"}, s.fleet.called())
	assert.False(t, proofOf(t, i, "p").TookEffect)
}

func TestWorkerKillCancelledWhileItWaits(t *testing.T) {
	s := newStage(t)
	s.fleet.never["p-0"] = true
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for len(s.fleet.called()) == 0 {
			runtime.Gosched()
		}
		cancel() // once it is armed
	}()
	i, err := s.try(ctx, t, "worker-kill", "worker 0", map[string]any{"phase": "flushed"})
	require.Error(t, err)
	require.NoError(t, i.Heal(ctx))
	assert.Equal(t, []string{"arm flushed p-0", "release p-0"}, s.fleet.called())
}

func TestWorkerPause(t *testing.T) {
	s := newStage(t)
	i := s.inject(t, "worker-pause", "the worker that holds partition 2", nil)
	require.NoError(t, i.Heal(t.Context()))
	require.NoError(t, i.Heal(t.Context()))
	assert.Equal(t, []string{"pause p-0", "resume p-0"}, s.fleet.called())
	assert.Equal(t, "stopped p-0, which owned output/0,2", proofOf(t, i, "p").Text)
	s.fleet.fails["pause p-1"] = errors.New("no")
	i, err := s.try(t.Context(), t, "worker-pause", "worker 1", nil)
	require.Error(t, err)
	require.NoError(t, i.Heal(t.Context()))
	assert.NotContains(t, s.fleet.called(), "resume p-1")
}

func TestNothingInFlightIsNoProof(t *testing.T) {
	s := newStage(t)
	s.Observer = idle{}
	i := s.inject(t, "broker-pause", "broker 1", nil)
	require.NoError(t, i.Heal(t.Context()))
	proof := proofOf(t, i, "p")
	assert.False(t, proof.TookEffect)
	assert.Contains(t, proof.Text, "but no record was in flight")
}

// idle sees everything that was offered.
type idle struct{}

func (idle) Visible(string) uint64 { return 150 }

// TestFaultThatNoProcessSaw: a pipeline whose processes were all stopped shows nothing of what was done to a broker meanwhile,
// however much waits for it.
func TestFaultThatNoProcessSaw(t *testing.T) {
	s := newStage(t)
	for _, name := range []string{"p-0", "p-1"} {
		require.NoError(t, s.fleet.do(t.Context(), "pause", name, func(m *harness.Member) { m.State = harness.MemberPaused }))
	}
	i := s.inject(t, "broker-kill", "broker 1", nil)
	require.NoError(t, i.Heal(t.Context()))
	proof := proofOf(t, i, "p")
	assert.False(t, proof.TookEffect)
	assert.Contains(t, proof.Text, "but no process of it ran meanwhile")
	assert.True(t, proofOf(t, i, "q").TookEffect, "its source ran")
}
