package contract

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/clusters/ready"
	"github.com/chaeos/chaeos/harness"
)

func (s *suite) ready(t *testing.T) {
	info := s.cluster.Info()
	require.Equal(t, s.Provider.Name(), info.Provider)
	require.NotEmpty(t, info.Kafka)
	require.Len(t, info.Bootstrap, len(info.Nodes))
	if len(s.can) == 0 {
		return // there are no real brokers to ask
	}
	require.Equal(t, []int{1, 2, 3}, info.Nodes)
	require.NoError(t, ready.Await(within(t, 5*time.Second), directs(s.cluster)), "ready when Start returned")
	for _, n := range info.Nodes {
		status := statusOf(t, s.cluster, n)
		require.Equal(t, harness.NodeRunning, status.State)
		require.Positive(t, status.Pid)
	}
}

func (s *suite) unknownNode(t *testing.T) {
	require.ErrorContains(t, s.cluster.Kill(t.Context(), 4), "there is no node 4")
}

// twoAtOnce starts another cluster next to the shared one, in another shape if that can be chosen.
func (s *suite) twoAtOnce(t *testing.T) {
	spec := s.Spec
	if s.declares(harness.CanTopology) {
		spec.Topology = harness.Topology{Controllers: 1, Racks: []string{"a", "b"}}
		spec.Features = []harness.Feature{{Name: "transaction.version", Level: 1}, {Name: "eligible.leader.replicas.version"}}
		spec.Properties = map[string]string{"replica.lag.time.max.ms": "12345"}
	}
	second := s.start(t, t.TempDir(), spec)
	require.NotEqual(t, s.cluster.Info().Bootstrap, second.Info().Bootstrap)
	createTopic(t, second, "second")
	createTopic(t, s.cluster, "first")
	require.NotContains(t, topicsOf(t, s.cluster), "second")
	if s.declares(harness.CanTopology) {
		shaped(t, second, spec)
	}
	if s.declares(harness.CanKill) {
		require.NoError(t, second.Kill(t.Context(), 1))
		require.Equal(t, harness.NodeRunning, statusOf(t, s.cluster, 1).State, "the other cluster is untouched")
	}
}

func (s *suite) kill(t *testing.T) {
	c := s.cluster
	before := statusOf(t, c, 3)
	require.NoError(t, c.Kill(within(t, 10*time.Second), 3))
	require.Equal(t, harness.NodeStatus{Node: 3, State: harness.NodeStopped}, statusOf(t, c, 3), "down, and not unplanned, when Kill returns")
	require.NoDirExists(t, fmt.Sprintf("/proc/%d", before.Pid))
	require.Error(t, c.Kill(t.Context(), 3), "a node that is down can't be killed")
	require.NoError(t, c.Start(within(t, 30*time.Second), 3))
	require.Error(t, c.Start(t.Context(), 3), "a node that runs can't be started")
	whole(t, c)
	require.NotEqual(t, before.Pid, statusOf(t, c, 3).Pid)
}

func (s *suite) stop(t *testing.T) {
	require.NoError(t, s.cluster.Stop(within(t, 30*time.Second), 2))
	require.Equal(t, harness.NodeStatus{Node: 2, State: harness.NodeStopped}, statusOf(t, s.cluster, 2))
	require.NoError(t, s.cluster.Start(within(t, 30*time.Second), 2))
	whole(t, s.cluster)
}

func (s *suite) pause(t *testing.T) {
	c := s.cluster
	require.NoError(t, c.Pause(within(t, 10*time.Second), 1))
	require.Equal(t, harness.NodePaused, statusOf(t, c, 1).State)
	require.ErrorContains(t, c.Stop(t.Context(), 1), "paused")
	require.Error(t, ready.Await(within(t, 500*time.Millisecond), directs(c)[:1]), "a paused broker accepts and doesn't answer")
	require.NoError(t, c.Resume(t.Context(), 1))
	require.Equal(t, harness.NodeRunning, statusOf(t, c, 1).State)
	require.NoError(t, c.Resume(t.Context(), 1), "resuming one that runs changes nothing")
	whole(t, c)
}

func (s *suite) killPaused(t *testing.T) {
	require.NoError(t, s.cluster.Pause(within(t, 10*time.Second), 2))
	require.NoError(t, s.cluster.Kill(within(t, 10*time.Second), 2))
	require.Equal(t, harness.NodeStatus{Node: 2, State: harness.NodeStopped}, statusOf(t, s.cluster, 2))
	require.NoError(t, s.cluster.Start(within(t, 30*time.Second), 2))
	whole(t, s.cluster)
}

// wipe empties a broker's disk; it gets everything again from its peers.
func (s *suite) wipe(t *testing.T) {
	c, disks := s.cluster, s.disks(t)
	createTopic(t, c, "wiped")
	produce(t, c, "wiped", 2, 50)
	require.ErrorContains(t, disks.Wipe(t.Context(), 3), "node 3 runs")
	require.NoError(t, c.Kill(t.Context(), 3))
	require.NoError(t, disks.Wipe(within(t, 30*time.Second), 3))
	require.False(t, statusOf(t, c, 3).Unplanned)
	require.NoError(t, c.Start(within(t, 30*time.Second), 3))
	inSync(t, c, "wiped")
	require.EqualValues(t, 50, endOf(t, c, "wiped", 2))
}

// cut cuts the logs of a follower; it gets what it lost again.
func (s *suite) cut(t *testing.T) {
	c, disks := s.cluster, s.disks(t)
	createTopic(t, c, "cut")
	produce(t, c, "cut", 0, 40)
	inSync(t, c, "cut")
	follower := follower(t, c, "cut", 0)
	require.NoError(t, c.Kill(t.Context(), follower))
	lost, err := disks.CutLogs(within(t, 30*time.Second), follower, harness.LogCut{Ends: []harness.LogEnd{{Topic: "cut", Offset: 20}}})
	require.NoError(t, err)
	require.Contains(t, lost, harness.CutLog{Topic: "cut", From: 40, To: 20})
	require.NoError(t, c.Start(within(t, 30*time.Second), follower))
	inSync(t, c, "cut")
	require.EqualValues(t, 40, endOf(t, c, "cut", 0))
}

func (s *suite) disks(t *testing.T) harness.Disks {
	t.Helper()
	disks, ok := s.cluster.(harness.Disks)
	require.True(t, ok, "it declares that it can change disks")
	return disks
}

func (s *suite) nodeLogs(t *testing.T) {
	for _, n := range s.cluster.Info().Nodes {
		text, err := os.ReadFile(filepath.Join(s.logs, fmt.Sprintf("broker-%d.log", n)))
		require.NoError(t, err)
		require.Contains(t, string(text), "Kafka Server started")
	}
}

// produce sends records one by one, so that each is a batch of its own.
func produce(t *testing.T, c harness.Cluster, topic string, partition int32, records int) {
	t.Helper()
	cl := client(t, c, c.Direct(), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(0))
	for range records {
		record := &kgo.Record{Topic: topic, Partition: partition, Value: []byte("x")}
		require.NoError(t, cl.ProduceSync(within(t, 30*time.Second), record).FirstErr())
	}
}
