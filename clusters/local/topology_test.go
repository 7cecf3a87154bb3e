package local

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/wait"
)

// TestSeparateControllers starts a larger cluster whose controllers keep no records.
func TestSeparateControllers(t *testing.T) {
	shape := harness.Topology{Brokers: 4, Controllers: 3}
	c := start(t, harness.ClusterSpec{Topology: shape})
	require.Equal(t, []int{1, 2, 3, 4}, c.Info().Nodes)
	require.Equal(t, shape, c.Info().Topology)
	require.Len(t, c.Links(), len(shape.NodeLinks()))
	killController(t, c)
}

// killController shows that the quorum is made of the separate controllers and survives the loss of the active one.
func killController(t *testing.T, c harness.Cluster) {
	active, cl := quorumLeader(t, c), client(t, c, c.Direct())
	require.Contains(t, c.Info().Topology.ControllerIDs(), active)
	require.NoError(t, c.Kill(t.Context(), active))
	require.NoError(t, wait.Poll(within(t, 30*time.Second), 100*time.Millisecond, func() (bool, error) {
		next, err := ask.Seeds(cl).Controller(t.Context())
		return err == nil && next != active, nil
	}))
	require.NoError(t, c.Start(t.Context(), active))
	require.NoError(t, wait.Poll(within(t, 30*time.Second), 100*time.Millisecond, func() (bool, error) {
		quorum, err := ask.Of(cl, c.Info().Nodes...).Quorum(t.Context())
		return err == nil && quorum.HeardSince(active, time.Now().Add(-time.Second).UnixMilli()), nil
	}))
}

func TestUnknownFeatureLevelIsRefused(t *testing.T) {
	_, err := testProvider().Start(t.Context(), harness.ClusterSpec{LogDir: t.TempDir(),
		Features: []harness.Feature{{Name: "transaction.version", Level: 99}}})
	require.ErrorContains(t, err, "transaction.version=99")
	require.ErrorContains(t, err, "No feature:transaction.version with feature level 99")
	require.ErrorContains(t, err, "in Kafka "+DefaultKafka+": ")
	require.ErrorContains(t, err, "transaction.version up to 2")
}
