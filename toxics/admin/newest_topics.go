package admin

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/together"
)

// NewestTopics asks every node at once, and takes for each partition the answer with the highest leader epoch: a broker that
// was cut off answers with what it knew. It also returns the nodes that answered.
func NewestTopics(ctx context.Context, client *kgo.Client, nodes []int, topics ...string) (map[string]map[int32]harness.PartitionState, []int, error) {
	answers, failures := together.Ask(nodes, func(node int) (harness.Metadata, error) {
		return harness.AskMetadata(ctx, client, []int{node}, topics...)
	})
	newest := map[string]map[int32]harness.PartitionState{}
	var answered []int
	for i, md := range answers {
		if failures[i] == nil {
			answered = append(answered, nodes[i])
		}
		for topic, partitions := range md.Topics {
			if newest[topic] == nil {
				newest[topic] = map[int32]harness.PartitionState{}
			}
			for p, state := range partitions {
				if old, known := newest[topic][p]; !known || state.LeaderEpoch > old.LeaderEpoch {
					newest[topic][p] = state
				}
			}
		}
	}
	if len(newest) == 0 && (len(topics) > 0 || len(answered) == 0) {
		return nil, answered, errors.Join(append(failures, ErrUnknownTopics)...)
	}
	return newest, answered, nil
}

// ErrUnknownTopics is the error if no broker that answered knows any of the topics.
var ErrUnknownTopics = errors.New("no broker knows the topics")
