package harness

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/ask"
)

// Brokers are whom a fault or a trigger asks about the cluster.
func (f *Field) Brokers() ask.Brokers { return ask.Of(f.Admin, f.Cluster.Info().Nodes...) }

// What follows goes to harness/ask as its callers do.

// PartitionState is one partition as a broker's metadata shows it.
type PartitionState = ask.PartitionState

// Metadata is a broker's fresh answer, by topic and partition.
type Metadata = ask.Metadata

// AskBrokers sends a request to each of the nodes in turn until one answers, and returns its answer.
func AskBrokers(ctx context.Context, client *kgo.Client, nodes []int, req kmsg.Request) (kmsg.Response, error) {
	return ask.First[kmsg.Response](ctx, ask.Of(client, nodes...), req)
}

// AskMetadata asks the given nodes in turn for fresh metadata of the topics (none asks for all).
func AskMetadata(ctx context.Context, client *kgo.Client, nodes []int, topics ...string) (Metadata, error) {
	return ask.Of(client, nodes...).Metadata(ctx, topics...)
}

// Controller returns the node that leads the controller quorum, asking the given brokers.
func Controller(ctx context.Context, client *kgo.Client, brokers []int) (int, error) {
	return ask.Of(client, brokers...).Controller(ctx)
}

// QuorumHeard returns when the controller quorum's leader last answered each node that follows it, voters and observers,
// in milliseconds of its wall clock, asking the given brokers. The leader itself is always heard.
func QuorumHeard(ctx context.Context, client *kgo.Client, brokers []int) (map[int]int64, error) {
	quorum, err := ask.Of(client, brokers...).Quorum(ctx)
	if err != nil {
		return nil, err
	}
	quorum.Heard[quorum.Leader] = math.MaxInt64
	return quorum.Heard, nil
}

// askFeatures returns the cluster's finalised feature levels, sorted by name.
func askFeatures(ctx context.Context, client *kgo.Client, nodes []int) ([]Feature, error) {
	levels, err := ask.Of(client, nodes...).Features(ctx)
	if err != nil {
		return nil, err
	}
	var features []Feature
	for name, level := range levels {
		features = append(features, Feature{Name: name, Level: level})
	}
	slices.SortFunc(features, func(a, b Feature) int { return strings.Compare(a.Name, b.Name) })
	return features, nil
}
