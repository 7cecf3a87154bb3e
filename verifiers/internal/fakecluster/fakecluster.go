// Package fakecluster gives tests a harness.Cluster whose brokers are kfake's, in process and without proxies. What it
// shows is never published as a verdict.
package fakecluster

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/fakequorum"
)

// Nodes is the number of brokers; kfake numbers them from 0.
const Nodes = 3

// Cluster is a cluster of kfake brokers. Only what clients need is there: its other methods panic.
type Cluster struct {
	harness.Cluster
	Fake *kfake.Cluster
}

// New starts a cluster whose topics have the given number of partitions. It ends with the test.
func New(t testing.TB, partitions int, topics ...string) *Cluster {
	t.Helper()
	fake, err := kfake.NewCluster(kfake.NumBrokers(Nodes), kfake.SeedTopics(int32(partitions), topics...),
		kfake.BrokerConfigs(map[string]string{"transaction.max.timeout.ms": "900000"}))
	require.NoError(t, err)
	t.Cleanup(fake.Close)
	fakequorum.Followers(fake, 0, 1, 2)
	return &Cluster{Fake: fake}
}

// Info implements harness.Cluster.
func (c *Cluster) Info() harness.ClusterInfo {
	info := harness.ClusterInfo{Provider: "fake", Bootstrap: c.Fake.ListenAddrs()}
	for node := range Nodes {
		info.Nodes = append(info.Nodes, node)
	}
	return info
}

// Direct implements harness.Cluster.
func (c *Cluster) Direct() harness.Dials {
	dials := harness.Dials{}
	for _, addr := range c.Fake.ListenAddrs() {
		dials[addr] = addr
	}
	return dials
}

// Client makes a client that ends with the test.
func (c *Cluster) Client(t testing.TB, id string, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	client, err := harness.DirectClient(c, id, opts...)
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return client
}
