package toxics

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
)

// TestAClusterWithoutTopicsIsWhole: there is nothing that a rolling restart would have to wait for.
func TestAClusterWithoutTopicsIsWhole(t *testing.T) {
	kafka, err := kfake.NewCluster(kfake.NumBrokers(3))
	require.NoError(t, err)
	t.Cleanup(kafka.Close)
	admin, err := kgo.NewClient(kgo.SeedBrokers(kafka.ListenAddrs()...), kgo.AlwaysRetryEOF())
	require.NoError(t, err)
	t.Cleanup(admin.Close)
	require.NoError(t, admin.Ping(t.Context()))
	f := &harness.Field{Cluster: justNodes{list: []int{0, 1, 2}}, Admin: admin}
	require.NoError(t, awaitWhole(t.Context(), f))
}

// justNodes is a cluster of which only the brokers' numbers are known.
type justNodes struct {
	harness.Cluster
	list []int
}

func (n justNodes) Info() harness.ClusterInfo { return harness.ClusterInfo{Nodes: n.list} }
