package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/cmd/chaeos/provider"
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/golden"
)

// fakeCluster answers what the cluster commands ask; anything else is a nil dereference.
type fakeCluster struct {
	harness.Cluster
	closed *int
}

func (fakeCluster) Info() harness.ClusterInfo {
	return harness.ClusterInfo{Provider: "local", Kafka: "4.3.1", Nodes: []int{1, 2}, Bootstrap: []string{"127.0.0.1:41001", "127.0.0.1:41002"},
		ToxiproxyAPI: "127.0.0.1:8474", KeeperPid: 77, DataDir: "/run/chaeos/x"}
}

func (fakeCluster) Status(context.Context) ([]harness.NodeStatus, error) {
	return []harness.NodeStatus{
		{Node: 1, Pid: 101, State: harness.NodeRunning},
		{Node: 2, Pid: 102, State: harness.NodeStopped, Unplanned: true, Reason: "OutOfMemoryError"},
	}, nil
}

func (fakeCluster) Links() []harness.Link {
	return []harness.Link{
		{Kind: harness.ReplicationLink, From: "1", To: 2, Proxy: "1-2-replication", Listen: "127.0.1.2:41010"},
		{Kind: harness.ClientLink, From: "client", To: 1, Proxy: "client-1", Listen: "127.0.0.1:41001"},
	}
}

func (c fakeCluster) Close(context.Context) error {
	*c.closed++
	return nil
}

func TestClusterCommands(t *testing.T) {
	closed := 0
	b := newBench(t)
	b.parts.clusters = clusters{
		up: func(_ context.Context, r provider.Request, spec harness.ClusterSpec) (harness.Cluster, error) {
			require.Equal(t, provider.Request{Provider: provider.Auto}, r)
			require.True(t, spec.Detach)
			require.Equal(t, "4.2.0", spec.Kafka)
			spec.Progress("starting three brokers")
			return fakeCluster{closed: &closed}, nil
		},
		attach: func(context.Context) (harness.Cluster, error) { return fakeCluster{closed: &closed}, nil },
	}
	require.Zero(t, b.do("cluster", "up", "--kafka", "4.2.0"))
	require.Zero(t, b.do("cluster", "status"))
	golden.Equal(t, "testdata/cluster.txt", b.out.String())

	b.out.Reset()
	require.Zero(t, b.do("cluster", "status", "--json"))
	var s clusterStatus
	require.NoError(t, json.Unmarshal(b.out.Bytes(), &s))
	require.Equal(t, fakeCluster{}.Info(), s.ClusterInfo)
	require.Len(t, s.Links, 2)
	require.Len(t, s.State, 2)

	require.Zero(t, closed)
	require.Zero(t, b.do("cluster", "down"))
	require.Equal(t, 1, closed)
}

func TestClusterPrune(t *testing.T) {
	b := newBench(t)
	var asked []bool
	b.parts.clusters.prune = func(_ context.Context, all bool) ([]string, error) {
		asked = append(asked, all)
		return []string{"cluster x: 4 containers, 3 networks"}, nil
	}
	require.Zero(t, b.do("cluster", "prune"))
	require.Equal(t, "removed cluster x: 4 containers, 3 networks\n", b.out.String())
	require.Zero(t, b.do("cluster", "prune", "--all"))
	require.Equal(t, []bool{false, true}, asked)
	b.out.Reset()
	b.parts.clusters.prune = func(context.Context, bool) ([]string, error) { return nil, nil }
	require.Zero(t, b.do("cluster", "prune"))
	require.Equal(t, "nothing was left behind\n", b.out.String())
	b.parts.clusters.prune = func(context.Context, bool) ([]string, error) { return nil, errors.New("the engine is gone") }
	require.Equal(t, exitInfrastructure, b.do("cluster", "prune"))
}

func TestClusterCommandsWithoutACluster(t *testing.T) {
	b := newBench(t)
	b.parts.clusters.attach = func(context.Context) (harness.Cluster, error) { return nil, fmt.Errorf("%w", provider.ErrNoCluster) }
	require.Equal(t, exitInfrastructure, b.do("cluster", "status"))
	require.Contains(t, b.err.String(), "chaeos cluster up")
	require.Zero(t, b.do("cluster", "down"), "what was to be is so")
	require.Equal(t, "no cluster is up\n", b.out.String())

	b.parts.clusters.attach = func(context.Context) (harness.Cluster, error) { return nil, errors.New("the keeper does not answer") }
	require.Equal(t, exitInfrastructure, b.do("cluster", "down"))

	b.parts.clusters.up = func(context.Context, provider.Request, harness.ClusterSpec) (harness.Cluster, error) {
		return nil, errors.New("no Java")
	}
	require.Equal(t, exitInfrastructure, b.do("cluster", "up"))
	require.Contains(t, b.err.String(), "chaeos: no Java")
}
