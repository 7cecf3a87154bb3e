package offline

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/chaeos/chaeos/harness"
)

// controllerNode leads the quorum that kfake doesn't have.
const controllerNode = 2

// Name implements harness.Provider.
func (s *stage) Name() string { return "kfake" }

// Start implements harness.Provider.
func (s *stage) Start(context.Context, harness.ClusterSpec) (harness.Cluster, error) {
	return cluster{kafka: s.kafka}, nil
}

// Phase implements harness.Terminal. The brokers begin to lie with the load: what is not stored in the warm phase would
// never show progress.
func (s *stage) Phase(name, _ string) {
	if name == "load" && s.dishonest {
		s.lying.Store(true)
	}
}

// Note implements harness.Terminal.
func (s *stage) Note(text string) { s.t.Log(text) }

// Live implements harness.Terminal.
func (s *stage) Live(string, time.Duration, time.Duration) {}

// Close implements harness.Terminal.
func (s *stage) Close() {}

// cluster is kfake as far as a run without faults needs a cluster: the other methods panic.
type cluster struct {
	harness.Cluster
	kafka *kfake.Cluster
}

func (c cluster) Info() harness.ClusterInfo {
	return harness.ClusterInfo{Provider: "kfake", Kafka: "kfake", Nodes: []int{0, 1, 2}, Bootstrap: c.kafka.ListenAddrs()}
}

func (c cluster) Direct() harness.Dials {
	dials := harness.Dials{}
	for _, addr := range c.kafka.ListenAddrs() {
		dials[addr] = addr
	}
	return dials
}

func (c cluster) ClientLinks(context.Context, string) (harness.Dials, error) { return c.Direct(), nil }

func (c cluster) Status(context.Context) ([]harness.NodeStatus, error) { return nil, nil }

func (c cluster) Close(context.Context) error { return nil } // kfake ends with the test
