package observe

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/verifiers/internal/brokers"
)

// replicasEvery is the time between two looks at one broker's metadata: leadership and in-sync sets change over seconds.
const replicasEvery = 500 * time.Millisecond

// followReplicas records one broker's view of every partition's leader and in-sync replicas whenever it changes.
func (s *sampler) followReplicas(ctx context.Context, node int) {
	topics := s.topics()
	last := map[brokers.TP]harness.PartitionState{}
	for ctx.Err() == nil {
		s.write(s.changedReplicas(ctx, node, topics, last))
		_ = wait.Sleep(ctx, replicasEvery) // the loop looks at the context itself
	}
}

// changedReplicas asks once. A broker that doesn't answer has no view to record: that is what faults are about.
func (s *sampler) changedReplicas(ctx context.Context, node int, topics []string, last map[brokers.TP]harness.PartitionState) []history.Entry {
	ctx, cancel := context.WithTimeout(ctx, sampleTimeout)
	defer cancel()
	// A broker that the others have fenced is gone from the client's metadata, and its own view is what shows that it still
	// believes to lead.
	md, err := harness.MetadataOf(ctx, s.direct[int32(node)], topics...)
	if err != nil {
		return nil
	}
	now := history.Now()
	var entries []history.Entry
	for _, topic := range topics {
		for p, state := range md.Topics[topic] {
			slices.Sort(state.ISR)
			tp := brokers.TP{Topic: topic, Partition: p}
			if before, seen := last[tp]; seen && sameReplicas(before, state) {
				continue
			}
			last[tp] = state
			entries = append(entries, &history.Replicas{
				At: now, Broker: int32(node), Topic: topic, Partition: p,
				Leader: int32(state.Leader), LeaderEpoch: state.LeaderEpoch, ISR: state.ISR,
			})
		}
	}
	return entries
}

func sameReplicas(a, b harness.PartitionState) bool {
	return a.Leader == b.Leader && a.LeaderEpoch == b.LeaderEpoch && slices.Equal(a.ISR, b.ISR)
}

// topics lists what is sampled, sorted.
func (s *sampler) topics() []string {
	seen := map[string]bool{}
	for tp := range s.parts {
		seen[tp.Topic] = true
	}
	return slices.Sorted(maps.Keys(seen))
}
