package local

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/wait"
)

// TestTopologySettings starts a cluster in which nothing is as by default, and asks the brokers.
func TestTopologySettings(t *testing.T) {
	shape := harness.Topology{Brokers: 4, Controllers: 3, Racks: []string{"a", "b"}}
	c := start(t, harness.ClusterSpec{
		Topology:   shape,
		Features:   []harness.Feature{{Name: "transaction.version", Level: 1}, {Name: "eligible.leader.replicas.version", Level: 0}},
		Properties: map[string]string{"replica.lag.time.max.ms": "12345"},
	})
	require.Equal(t, []int{1, 2, 3, 4}, c.Info().Nodes)
	require.Equal(t, shape, c.Info().Topology)
	require.Len(t, c.Links(), len(shape.NodeLinks()))
	cl := client(t, c, c.Direct())
	admin := kadm.NewClient(cl)
	t.Run("racks", func(t *testing.T) {
		metadata, err := admin.BrokerMetadata(within(t, 10*time.Second))
		require.NoError(t, err)
		racks := map[int32]string{}
		for _, b := range metadata.Brokers {
			racks[b.NodeID] = *b.Rack
		}
		require.Equal(t, map[int32]string{1: "a", 2: "b", 3: "a", 4: "b"}, racks)
	})
	t.Run("features", func(t *testing.T) {
		request := kmsg.NewPtrApiVersionsRequest()
		request.ClientSoftwareName, request.ClientSoftwareVersion = "chaeos", "1" // or the answer is an error without features
		answer, err := cl.Broker(1).Request(within(t, 10*time.Second), request)
		require.NoError(t, err)
		levels := map[string]int16{}
		for _, f := range answer.(*kmsg.ApiVersionsResponse).FinalizedFeatures {
			levels[f.Name] = f.MaxVersionLevel
		}
		require.EqualValues(t, 1, levels["transaction.version"])
		require.Zero(t, levels["eligible.leader.replicas.version"])
	})
	t.Run("properties", func(t *testing.T) {
		configs, err := admin.DescribeBrokerConfigs(within(t, 10*time.Second), 2)
		require.NoError(t, err)
		values := map[string]string{}
		for _, config := range configs[0].Configs {
			values[config.Key] = config.MaybeValue()
		}
		require.Equal(t, "12345", values["replica.lag.time.max.ms"])
	})
	t.Run("controllers", func(t *testing.T) { killController(t, c) })
}

// killController shows that the quorum is made of the separate controllers and survives the loss of the active one.
func killController(t *testing.T, c harness.Cluster) {
	active, cl := quorumLeader(t, c), client(t, c, c.Direct())
	require.Contains(t, c.Info().Topology.ControllerIDs(), active)
	require.NoError(t, c.Kill(t.Context(), active))
	require.NoError(t, wait.Poll(within(t, 30*time.Second), 100*time.Millisecond, func() (bool, error) {
		next, err := activeController(t.Context(), cl.SeedBrokers()[0])
		return err == nil && next != active, nil
	}))
	require.NoError(t, c.Start(t.Context(), active))
	require.NoError(t, wait.Poll(within(t, 30*time.Second), 100*time.Millisecond, func() (bool, error) {
		heard, err := harness.QuorumHeard(t.Context(), cl, c.Info().Nodes)
		return err == nil && heard[active] > time.Now().Add(-time.Second).UnixMilli(), nil
	}))
}

func TestUnknownFeatureLevelIsRefused(t *testing.T) {
	begin := time.Now()
	_, err := testProvider().Start(t.Context(), harness.ClusterSpec{LogDir: t.TempDir(),
		Features: []harness.Feature{{Name: "transaction.version", Level: 99}}})
	require.ErrorContains(t, err, "transaction.version=99")
	require.ErrorContains(t, err, "Kafka "+DefaultKafka)
	require.Less(t, time.Since(begin), 15*time.Second)
}
