// Package fake is for tests of the harness: clusters of kfake brokers in this process, without proxies. Nothing that
// they show is published as a verdict.
package fake

import (
	"context"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/fakequorum"
)

// Name is the provider's name. The command doesn't offer it.
const Name = "fake"

// Abilities declares that these clusters only serve clients.
func Abilities() []string { return nil }

// Provider makes clusters of kfake brokers.
type Provider struct{}

var (
	_ harness.Provider        = Provider{}
	_ harness.CapableProvider = Provider{}
)

// Name returns "fake".
func (Provider) Name() string { return Name }

// Capabilities declares nothing.
func (Provider) Capabilities() []string { return Abilities() }

const (
	nodes      = 3
	controller = 1
)

// Start starts three brokers, which kfake numbers from 0.
func (Provider) Start(ctx context.Context, _ harness.ClusterSpec) (harness.Cluster, error) {
	kafka, err := kfake.NewCluster(kfake.NumBrokers(nodes))
	if err != nil {
		return nil, err
	}
	if err := fakequorum.Answer(ctx, kafka, controller); err != nil {
		kafka.Close()
		return nil, err
	}
	fakequorum.Followers(kafka, 0, 1, 2)
	return &cluster{kafka: kafka}, nil
}

// cluster has no nodes to do anything to: preflight refuses what would call the methods that it lacks.
type cluster struct {
	harness.Cluster
	kafka *kfake.Cluster
}

func (c *cluster) Info() harness.ClusterInfo {
	return harness.ClusterInfo{Provider: Name, Kafka: "kfake", Nodes: []int{0, 1, 2}, Bootstrap: c.kafka.ListenAddrs()}
}

func (c *cluster) Direct() harness.Dials {
	dials := harness.Dials{}
	for _, address := range c.kafka.ListenAddrs() {
		dials[address] = address
	}
	return dials
}

func (c *cluster) ClientLinks(context.Context, string) (harness.Dials, error) { return c.Direct(), nil }

func (c *cluster) Links() []harness.Link { return nil }

func (c *cluster) Bytes(context.Context) (map[string]harness.LinkBytes, error) {
	return map[string]harness.LinkBytes{}, nil
}

func (c *cluster) Status(context.Context) ([]harness.NodeStatus, error) { return nil, nil }

func (c *cluster) Close(context.Context) error {
	c.kafka.Close()
	return nil
}
