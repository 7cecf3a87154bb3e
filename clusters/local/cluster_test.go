package local

import (
	"context"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/clusters/contract"
	"github.com/chaeos/chaeos/clusters/ready"
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/wait"
)

// awaitHealthy returns when the cluster is as a start leaves it.
func awaitHealthy(t *testing.T, c harness.Cluster) {
	t.Helper()
	require.NoError(t, ready.Await(within(t, time.Minute), directs(c)))
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
	options = append(options, kgo.SeedBrokers(c.Info().Bootstrap...), dialer(dials), kgo.MetadataMinAge(100*time.Millisecond))
	cl, err := kgo.NewClient(options...)
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	return cl
}

func quorumLeader(t *testing.T, c harness.Cluster) int {
	t.Helper()
	leader, err := ask.Seeds(client(t, c, c.Direct())).Controller(within(t, 10*time.Second))
	require.NoError(t, err)
	return leader
}

func TestContract(t *testing.T) {
	contract.Test(t, contract.Case{Provider: testProvider(), Left: clusterDirs})
}

func TestStopInOrder(t *testing.T) {
	c := shared(t)
	require.NoError(t, c.Stop(within(t, 30*time.Second), 2))
	require.Equal(t, harness.NodeStatus{Node: 2, State: harness.NodeStopped}, statusOf(t, c, 2))
	require.Contains(t, strings.Join(tail(nodeLog(2), 5), "\n"), "kafka-shutdown-hook", "it ended in order")
	require.NoError(t, c.Start(t.Context(), 2))
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
