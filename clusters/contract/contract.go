// Package contract is for tests: the suite that every provider passes. It tests the abilities that a provider declares, and
// no others.
package contract

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/clusters/ready"
	"github.com/chaeos/chaeos/harness"
)

// Case is one provider under test.
type Case struct {
	Provider harness.Provider
	Spec     harness.ClusterSpec
	// Left lists what clusters have on this machine now: processes' folders, containers, networks.
	Left func(*testing.T) []string
}

// suite is a case with the cluster that is shared by tests that leave it as they found it.
type suite struct {
	Case
	can     []string
	cluster harness.Cluster
	logs    string
}

// Test starts clusters and holds the provider to everything that it declares.
func Test(t *testing.T, c Case) {
	capable, ok := c.Provider.(harness.CapableProvider)
	require.True(t, ok, "a provider declares what it can do")
	s := &suite{Case: c, can: capable.Capabilities(), logs: t.TempDir()}
	for _, can := range s.can {
		require.True(t, slices.ContainsFunc(harness.Abilities(), func(a harness.Ability) bool { return a.Name == can }), "%q is no ability", can)
	}
	before := c.Left(t)
	t.Run("shared cluster", func(t *testing.T) {
		s.cluster = s.start(t, s.logs, c.Spec)
		for _, test := range s.tests() {
			if test.needs == "" || slices.Contains(s.can, test.needs) {
				t.Run(test.name, func(t *testing.T) { test.run(s, t) })
			}
		}
	})
	require.Subset(t, before, c.Left(t), "closing leaves nothing; a start may sweep what an earlier, killed cluster left")
}

type test struct {
	name, needs string
	run         func(*suite, *testing.T)
}

func (s *suite) tests() []test {
	return []test{
		{"ready when started", "", (*suite).ready},
		{"unknown node", harness.CanKill, (*suite).unknownNode},
		{"two at once", "", (*suite).twoAtOnce},
		{"client links", harness.CanLinks, (*suite).clientLinks},
		{"names of clients", harness.CanLinks, (*suite).names},
		{"connections that end", harness.CanLinks, (*suite).ends},
		{"each link is separate", harness.CanLinks, (*suite).links},
		{"kill and start", harness.CanKill, (*suite).kill},
		{"stop", harness.CanStop, (*suite).stop},
		{"pause and resume", harness.CanPause, (*suite).pause},
		{"kill while paused", harness.CanPause, (*suite).killPaused},
		{"wipe", harness.CanWipe, (*suite).wipe},
		{"cut logs", harness.CanCut, (*suite).cut},
		{"logs", harness.CanLogs, (*suite).nodeLogs},
	}
}

func (s *suite) declares(ability string) bool { return slices.Contains(s.can, ability) }

// start starts a cluster that is closed with the test, and must be gone then.
func (s *suite) start(t *testing.T, logs string, spec harness.ClusterSpec) harness.Cluster {
	t.Helper()
	spec.LogDir = logs
	c, err := s.Provider.Start(within(t, 3*time.Minute), spec)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, c.Close(within(t, time.Minute)))
		require.NoError(t, c.Close(within(t, time.Minute)), "closing twice is no error")
	})
	return c
}

func within(t testing.TB, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

// whole returns when every broker sees every other and the controller answers.
func whole(t *testing.T, c harness.Cluster) {
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
	for _, n := range nodes {
		if n.Node == node {
			return n
		}
	}
	t.Fatalf("node %d is not among %v", node, nodes)
	return harness.NodeStatus{}
}
