package contract

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/wait"
)

// dialer dials the mapped address instead of the advertised one, as workers and the sampler do.
func dialer(dials harness.Dials) kgo.Opt {
	return kgo.Dialer(func(ctx context.Context, network, address string) (net.Conn, error) {
		if to, ok := dials[address]; ok {
			address = to
		}
		return (&net.Dialer{}).DialContext(ctx, network, address)
	})
}

func client(t *testing.T, c harness.Cluster, dials harness.Dials, options ...kgo.Opt) *kgo.Client {
	t.Helper()
	options = append(options, kgo.SeedBrokers(c.Info().Bootstrap...), dialer(dials), kgo.MetadataMinAge(100*time.Millisecond),
		kgo.MetadataMaxAge(time.Second))
	cl, err := kgo.NewClient(options...)
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	return cl
}

// createTopic makes a topic of three partitions, each broker leading one.
func createTopic(t *testing.T, c harness.Cluster, topic string) {
	t.Helper()
	admin := kadm.NewClient(client(t, c, c.Direct()))
	_, err := admin.CreateTopic(within(t, 30*time.Second), 3, 3, nil, topic)
	require.NoError(t, err)
}

func topicsOf(t *testing.T, c harness.Cluster) []string {
	t.Helper()
	topics, err := kadm.NewClient(client(t, c, c.Direct())).ListTopics(within(t, 10*time.Second))
	require.NoError(t, err)
	return topics.Names()
}

func describe(t *testing.T, c harness.Cluster, topic string) map[int32]ask.PartitionState {
	t.Helper()
	md, err := ask.Of(client(t, c, c.Direct()), c.Info().Nodes...).Metadata(within(t, 10*time.Second), topic)
	require.NoError(t, err)
	return md.Topics[topic]
}

// inSync waits until every broker is there and every replica of the topic is in sync.
func inSync(t *testing.T, c harness.Cluster, topic string) {
	t.Helper()
	whole(t, c)
	require.NoError(t, wait.Poll(within(t, 90*time.Second), 100*time.Millisecond, func() (bool, error) {
		for _, p := range describe(t, c, topic) {
			if !p.InSync() {
				return false, nil
			}
		}
		return true, nil
	}))
}

// follower is a broker that follows the partition.
func follower(t *testing.T, c harness.Cluster, topic string, partition int32) int {
	t.Helper()
	p := describe(t, c, topic)[partition]
	for _, r := range p.Replicas {
		if int(r) != p.Leader {
			return int(r)
		}
	}
	t.Fatal("the partition has no follower")
	return 0
}

func endOf(t *testing.T, c harness.Cluster, topic string, partition int32) int64 {
	t.Helper()
	ends, err := kadm.NewClient(client(t, c, c.Direct())).ListEndOffsets(within(t, 10*time.Second), topic)
	require.NoError(t, err)
	end, ok := ends.Lookup(topic, partition)
	require.True(t, ok)
	return end.Offset
}

// shaped asks the brokers whether the cluster is what the spec asks for.
func shaped(t *testing.T, c harness.Cluster, spec harness.ClusterSpec) {
	t.Helper()
	require.Equal(t, spec.Topology, c.Info().Topology)
	cl := client(t, c, c.Direct())
	admin := kadm.NewClient(cl)
	metadata, err := admin.BrokerMetadata(within(t, 10*time.Second))
	require.NoError(t, err)
	for _, b := range metadata.Brokers {
		require.NotNil(t, b.Rack)
		require.Equal(t, spec.Topology.Rack(int(b.NodeID)), *b.Rack)
	}
	controller, err := ask.Of(cl, c.Info().Nodes...).Controller(within(t, 10*time.Second))
	require.NoError(t, err)
	require.Contains(t, spec.Topology.Voters(), controller)
	levels, err := ask.Of(cl, c.Info().Nodes...).Features(within(t, 10*time.Second))
	require.NoError(t, err)
	for _, f := range spec.Features {
		require.Equal(t, f.Level, levels[f.Name], f.Name)
	}
	configs, err := admin.DescribeBrokerConfigs(within(t, 10*time.Second), 2)
	require.NoError(t, err)
	values := map[string]string{}
	for _, config := range configs[0].Configs {
		values[config.Key] = config.MaybeValue()
	}
	for name, value := range spec.Properties {
		require.Equal(t, value, values[name], name)
	}
}
