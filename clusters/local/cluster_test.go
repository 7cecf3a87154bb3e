package local

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	toxiclient "github.com/Shopify/toxiproxy/v2/client"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/errgroup"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/wait"
)

// awaitHealthy returns when the cluster is as a start leaves it.
func awaitHealthy(t *testing.T, c harness.Cluster) {
	t.Helper()
	require.NoError(t, ready(within(t, time.Minute), directs(c)))
}

func directs(c harness.Cluster) []string {
	var all []string
	for _, address := range c.Info().Bootstrap {
		all = append(all, c.Direct()[address])
	}
	return all
}

func statusOf(t *testing.T, c harness.Cluster, node int) harness.NodeStatus {
	t.Helper()
	nodes, err := c.Status(t.Context())
	require.NoError(t, err)
	require.Len(t, nodes, 3)
	return nodes[node-1]
}

// dialer dials what dials says instead of an advertised address, as workers and the sampler do.
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
	options = append(options, kgo.SeedBrokers(c.Info().Bootstrap...), dialer(dials), kgo.MetadataMinAge(100*time.Millisecond))
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

func TestStartIsReady(t *testing.T) {
	c := shared(t)
	require.Equal(t, Name, c.Info().Provider)
	require.Equal(t, DefaultKafka, c.Info().Kafka)
	require.Equal(t, []int{1, 2, 3}, c.Info().Nodes)
	require.Len(t, c.Info().Bootstrap, 3)
	require.NoError(t, ready(within(t, 5*time.Second), directs(c)), "ready when Start returned")
	for _, n := range c.Info().Nodes {
		require.Equal(t, harness.NodeRunning, statusOf(t, c, n).State)
		require.FileExists(t, nodeLog(n))
		require.FileExists(t, filepath.Join(c.Info().DataDir, "node-1", "data", "meta.properties"))
	}
	kinds := map[harness.LinkKind]int{}
	for _, link := range c.Links() {
		kinds[link.Kind]++
	}
	require.Equal(t, 6, kinds[harness.ReplicationLink])
	require.Equal(t, 6, kinds[harness.QuorumLink])
	require.GreaterOrEqual(t, kinds[harness.ClientLink], 3)
}

func TestNamedClientUsesItsOwnLinks(t *testing.T) {
	c := shared(t)
	dials, err := c.ClientLinks(t.Context(), "transactional-0")
	require.NoError(t, err)
	again, err := c.ClientLinks(t.Context(), "transactional-0")
	require.NoError(t, err)
	require.Equal(t, dials, again, "a restarted worker finds its own links")
	other, err := c.ClientLinks(t.Context(), "transactional-1")
	require.NoError(t, err)
	for _, address := range c.Info().Bootstrap {
		require.NotEqual(t, dials[address], other[address])
	}
	createTopic(t, c, "named")
	producer := client(t, c, dials, kgo.RecordPartitioner(kgo.ManualPartitioner()))
	incompressible := make([]byte, 10_000)
	_, _ = rand.Read(incompressible)
	for partition := range int32(3) {
		record := &kgo.Record{Topic: "named", Partition: partition, Value: incompressible}
		require.NoError(t, producer.ProduceSync(within(t, 30*time.Second), record).FirstErr())
	}
	counted, err := c.Bytes(t.Context())
	require.NoError(t, err)
	for _, proxy := range []string{"transactional-0-1-client", "transactional-0-2-client", "transactional-0-3-client"} {
		require.Greater(t, counted[proxy].UpstreamOut, int64(10_000), proxy)
	}
	require.Zero(t, counted["transactional-1-1-client"])
	require.Zero(t, counted["client-1-client"].UpstreamIn, "nobody used the advertised address itself")
}

func TestWorkersAskForTheirLinksTogether(t *testing.T) {
	c := shared(t)
	var asked errgroup.Group
	answers := make([]harness.Dials, 8)
	for i := range answers {
		asked.Go(func() (err error) {
			answers[i], err = c.ClientLinks(t.Context(), fmt.Sprintf("together-%d", i%2))
			return err
		})
	}
	require.NoError(t, asked.Wait())
	require.Equal(t, answers[0], answers[2])
	require.NotEqual(t, answers[0], answers[1])
}

func TestRefusedClientNames(t *testing.T) {
	c := shared(t)
	for _, name := range []string{"client", "2", "a b", "ü"} {
		_, err := c.ClientLinks(t.Context(), name)
		require.Error(t, err, name)
	}
}

// cut drops everything on one link, both ways, until the test ends or the returned function is called.
func cut(t *testing.T, c harness.Cluster, name string) (heal func()) {
	t.Helper()
	proxy, err := toxiclient.NewClient(c.Info().ToxiproxyAPI).Proxy(name)
	require.NoError(t, err)
	for _, stream := range []string{"upstream", "downstream"} {
		_, err := proxy.AddToxic("cut-"+stream, "timeout", stream, 1, toxiclient.Attributes{"timeout": 0})
		require.NoError(t, err)
	}
	return func() {
		for _, stream := range []string{"upstream", "downstream"} {
			require.NoError(t, proxy.RemoveToxic("cut-"+stream))
		}
	}
}

func bytesWhen(t *testing.T, c harness.Cluster, met func(map[string]harness.LinkBytes) bool) map[string]harness.LinkBytes {
	t.Helper()
	var counted map[string]harness.LinkBytes
	require.NoError(t, wait.Poll(within(t, 20*time.Second), 20*time.Millisecond, func() (bool, error) {
		var err error
		counted, err = c.Bytes(t.Context())
		return err == nil && met(counted), err
	}))
	return counted
}

func TestOneCutLinkLeavesTheOthersAlone(t *testing.T) {
	c := shared(t)
	createTopic(t, c, "links") // makes every broker follow both others
	t.Run("replication", func(t *testing.T) {
		cutAndHeal(t, c, "1-2-replication", "2-1-replication", "1-3-replication", "3-2-replication")
	})
	t.Run("quorum", func(t *testing.T) {
		// Only the links towards the active controller carry anything.
		leader := quorumLeader(t, c)
		a, b := leader%3+1, (leader+1)%3+1
		cutAndHeal(t, c, fmt.Sprintf("%d-%d-quorum", a, leader), fmt.Sprintf("%d-%d-quorum", b, leader),
			fmt.Sprintf("%d-%d-replication", a, leader), fmt.Sprintf("%d-%d-replication", leader, a))
	})
}

// cutAndHeal shows that a cut stops its own link, both ways, and no other.
func cutAndHeal(t *testing.T, c harness.Cluster, name string, others ...string) {
	t.Helper()
	flowing := bytesWhen(t, c, func(b map[string]harness.LinkBytes) bool { return b[name].UpstreamOut > 0 })
	heal := cut(t, c, name)
	before := bytesWhen(t, c, func(b map[string]harness.LinkBytes) bool { return b[name].Cut() > flowing[name].Cut() })
	after := bytesWhen(t, c, func(b map[string]harness.LinkBytes) bool {
		return !slices.ContainsFunc(others, func(other string) bool {
			return b[other].DownstreamOut < before[other].DownstreamOut+100
		})
	})
	require.Equal(t, before[name].UpstreamOut, after[name].UpstreamOut, "nothing passes the cut")
	require.Equal(t, before[name].DownstreamOut, after[name].DownstreamOut, "nothing passes the cut")
	for _, other := range others {
		require.Less(t, after[other].Cut(), after[other].DownstreamOut/2, "%s is not cut", other)
	}
	heal()
	bytesWhen(t, c, func(b map[string]harness.LinkBytes) bool { return b[name].UpstreamOut > after[name].UpstreamOut })
}

func quorumLeader(t *testing.T, c harness.Cluster) int {
	t.Helper()
	leader, err := activeController(within(t, 10*time.Second), client(t, c, c.Direct()).SeedBrokers()[0])
	require.NoError(t, err)
	return leader
}

func TestKillAndStart(t *testing.T) {
	c := shared(t)
	before := statusOf(t, c, 3)
	require.NoError(t, c.Kill(within(t, 10*time.Second), 3))
	require.ErrorIs(t, syscall.Kill(before.Pid, 0), syscall.ESRCH, "killed and reaped when Kill returns")
	require.Equal(t, harness.NodeStatus{Node: 3, State: harness.NodeStopped}, statusOf(t, c, 3))
	require.Error(t, c.Kill(t.Context(), 3), "a node that is down can't be killed")
	require.NoError(t, c.Start(t.Context(), 3))
	require.Error(t, c.Start(t.Context(), 3), "a node that runs can't be started")
	awaitHealthy(t, c)
	require.NotEqual(t, before.Pid, statusOf(t, c, 3).Pid)
}

func TestStopInOrder(t *testing.T) {
	c := shared(t)
	require.NoError(t, c.Stop(within(t, 30*time.Second), 2))
	require.Equal(t, harness.NodeStatus{Node: 2, State: harness.NodeStopped}, statusOf(t, c, 2))
	require.Contains(t, strings.Join(tail(nodeLog(2), 5), "\n"), "kafka-shutdown-hook", "it ended in order")
	require.NoError(t, c.Start(t.Context(), 2))
	awaitHealthy(t, c)
}

func TestPauseAndResume(t *testing.T) {
	c := shared(t)
	require.NoError(t, c.Pause(within(t, 10*time.Second), 1))
	require.Equal(t, harness.NodePaused, statusOf(t, c, 1).State)
	require.ErrorContains(t, c.Stop(t.Context(), 1), "paused")
	require.Error(t, ready(within(t, 500*time.Millisecond), directs(c)[:1]), "a paused broker accepts and doesn't answer")
	require.NoError(t, c.Resume(t.Context(), 1))
	require.Equal(t, harness.NodeRunning, statusOf(t, c, 1).State)
	awaitHealthy(t, c)
}

func TestUnplannedEndIsReported(t *testing.T) {
	c := shared(t)
	pid := statusOf(t, c, 2).Pid
	require.Positive(t, pid, "0 would be this test's own process group")
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	require.NoError(t, wait.Poll(within(t, 10*time.Second), 10*time.Millisecond, func() (bool, error) {
		return statusOf(t, c, 2).State == harness.NodeStopped, nil
	}))
	status := statusOf(t, c, 2)
	require.True(t, status.Unplanned)
	require.Contains(t, status.Reason, "signal: killed")
	require.Contains(t, status.Reason, "broker-2.log")
	require.NoError(t, c.Start(t.Context(), 2))
	require.False(t, statusOf(t, c, 2).Unplanned)
	awaitHealthy(t, c)
}

func TestUnknownNode(t *testing.T) {
	require.ErrorContains(t, shared(t).Kill(t.Context(), 4), "there is no node 4")
}
