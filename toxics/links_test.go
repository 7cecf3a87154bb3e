package toxics

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/target"
)

func TestPartitionCutsTheTargetAlone(t *testing.T) {
	s := newStage(t)
	i := s.inject(t, "partition", "leader of output/0", nil)
	assert.Equal(t, []string{
		"1-2-quorum", "1-2-replication", "1-3-quorum", "1-3-replication",
		"2-1-quorum", "2-1-replication", "3-1-quorum", "3-1-replication",
	}, i.Resolved().Links)
	assert.Equal(t, []int{1}, i.Resolved().Brokers)
	assert.Equal(t, []int32{0}, i.Resolved().Partitions)
	assert.Contains(t, i.Resolved().Text, "broker 1 (leads output/0")

	s.assertCut(t, map[string]func(harness.LinkBytes) int64{"1-2-replication": up, "2-1-quorum": down},
		"2-3-replication", "3-2-quorum", "p-0-1-client", "client-1-client") // which are none of its business

	require.NoError(t, i.Heal(t.Context()))
	require.NoError(t, i.Heal(t.Context()), "a second heal has nothing to do")
	assert.Empty(t, s.cluster.toxicsLeft(t))
	for _, pipeline := range []string{"p", "q"} {
		proof := proofOf(t, i, pipeline)
		assert.True(t, proof.TookEffect, proof.Text)
		assert.Contains(t, proof.Text, "cut on")
		assert.EqualValues(t, 50, proof.InFlight)
	}
	s.awaitPassing(t, "1-2-replication")
}

func TestOneWayCutsOneDirectionOfBothLinks(t *testing.T) {
	s := newStage(t)
	i := s.inject(t, "partition", "broker 1", map[string]any{
		"links": "replication", "direction": "from", "from": "broker 2",
	})
	assert.Equal(t, []string{"1-2-replication", "2-1-replication"}, i.Resolved().Links)
	assert.ElementsMatch(t, []string{"1-2-replication timeout upstream", "2-1-replication timeout downstream"},
		s.cluster.toxicsLeft(t), "1 cannot reach 2: dropped upstream where 1 dials, downstream where 2 does")
	require.NoError(t, i.Heal(t.Context()))
	assert.Empty(t, s.cluster.toxicsLeft(t))
}

func TestAWorkerLosesOneBroker(t *testing.T) {
	s := newStage(t)
	i := s.inject(t, "partition", "owner of output/0", map[string]any{"links": "client", "from": "broker 2"})
	assert.Equal(t, []string{"p-0-2-client"}, i.Resolved().Links)
	assert.Equal(t, []string{"p-0"}, i.Resolved().Members)
	assert.Equal(t, []int32{0, 2}, i.Resolved().Partitions)
	s.awaitBytes(t, "p-0-2-client", func(b harness.LinkBytes) bool { return b.UpstreamIn >= b.UpstreamOut+rounds*chunk })
	require.NoError(t, i.Heal(t.Context()))
	assert.True(t, proofOf(t, i, "p").TookEffect)
	assert.False(t, proofOf(t, i, "q").TookEffect, "its source lost nothing")
}

func TestLatencyDelaysWhatPasses(t *testing.T) {
	s := newStage(t)
	i := s.inject(t, "latency", "all brokers", map[string]any{"latency": "80ms", "links": []any{"client"}, "direction": "to"})
	assert.Len(t, i.Resolved().Links, 12)
	assert.Equal(t, []int32{0, 1, 2}, i.Resolved().Partitions)
	for _, left := range s.cluster.toxicsLeft(t) {
		assert.Contains(t, left, "latency upstream")
	}
	s.awaitPassing(t, "p-0-1-client", "q-source-1-client")
	require.NoError(t, i.Heal(t.Context()))
	assert.Empty(t, s.cluster.toxicsLeft(t))
	for _, pipeline := range []string{"p", "q"} {
		proof := proofOf(t, i, pipeline)
		assert.True(t, proof.TookEffect, proof.Text)
		assert.Contains(t, proof.Text, "delayed on "+pipeline+"-")
	}
}

func TestQuorumCutTakesEffectOnlyOnWhatIsLedThere(t *testing.T) {
	s := newStage(t)
	for p := range int32(3) { // broker 3 leads nothing of q
		require.NoError(t, s.kafka.MoveTopicPartition("out-q", p, 1))
	}
	i := s.inject(t, "partition", "broker 3", map[string]any{"links": "quorum"})
	s.awaitBytes(t, "3-1-quorum", func(b harness.LinkBytes) bool { return b.UpstreamIn >= b.UpstreamOut+rounds*chunk })
	require.NoError(t, i.Heal(t.Context()))
	assert.True(t, proofOf(t, i, "p").TookEffect)
	assert.False(t, proofOf(t, i, "q").TookEffect)
}

func TestPartitionHealsWhatItDidBeforeItFailed(t *testing.T) {
	s := newStage(t)
	s.cluster.links = append(s.cluster.links, harness.Link{Kind: harness.QuorumLink, From: "1", To: 9, Proxy: "gone"})
	i, err := s.try(t.Context(), t, "partition", "broker 1", nil)
	require.ErrorContains(t, err, "gone")
	require.NotNil(t, i, "what was done must be undone")
	assert.NotEmpty(t, s.cluster.toxicsLeft(t))
	require.NoError(t, i.Heal(t.Context()))
	assert.Empty(t, s.cluster.toxicsLeft(t))
	assert.False(t, proofOf(t, i, "p").TookEffect)
}

func TestLinkFaultsHealUnderACancelledContext(t *testing.T) {
	s := newStage(t)
	for _, fault := range []string{"partition", "latency"} {
		ctx, cancel := context.WithCancel(t.Context())
		i, err := s.try(ctx, t, fault, "broker 1", nil)
		require.NoError(t, err)
		cancel()
		require.NoError(t, i.Heal(ctx), "an interrupted run must heal too")
		assert.Empty(t, s.cluster.toxicsLeft(t))
	}
}

func TestPoisonUnderACancelledContextLeavesNothing(t *testing.T) {
	s := newStage(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var u inject.Undo
	err := inject.Toxic{Name: "partition", Kind: "timeout"}.Put(ctx, s.Field, &u, []target.Stream{{Link: s.cluster.links[0]}})
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, u.Run(t.Context()))
	assert.Empty(t, s.cluster.toxicsLeft(t))
}

func TestOverlappingFaultsHealInAnyOrder(t *testing.T) {
	s := newStage(t)
	a := s.inject(t, "partition", "broker 1", nil)
	b := s.inject(t, "partition", "broker 2", nil)
	c := s.inject(t, "latency", "all brokers", map[string]any{"links": "replication"})
	for _, i := range []harness.Injection{a, c, b} {
		require.NoError(t, i.Heal(t.Context()))
	}
	assert.Empty(t, s.cluster.toxicsLeft(t))
}

func TestBytesThatCantBeReadProveNothing(t *testing.T) {
	s := newStage(t)
	i := s.inject(t, "partition", "broker 1", nil)
	s.cluster.failing("bytes", errors.New("no counters"))
	require.NoError(t, i.Heal(t.Context()))
	proof := proofOf(t, i, "p")
	assert.False(t, proof.TookEffect)
	assert.Contains(t, proof.Text, "not observed: no counters")
}
