package admin

import (
	"context"
	"fmt"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
)

// LogEnds asks each broker where each of its logs ends, those of internal topics too. All brokers must answer: a log whose
// end isn't known can't be cut fairly.
func LogEnds(ctx context.Context, f *harness.Field, brokers []int) (map[int][]harness.LogEnd, error) {
	all, err := f.Brokers().Metadata(ctx)
	if err != nil {
		return nil, err
	}
	ends := map[int][]harness.LogEnd{}
	for _, b := range brokers {
		offsets, err := f.Brokers().Offsets(ctx, b, ask.LogEnd, replicasOn(all, b))
		if err != nil {
			return nil, fmt.Errorf("where the logs of broker %d end: %w", b, err)
		}
		for tp, offset := range offsets {
			ends[b] = append(ends[b], harness.LogEnd{Topic: tp.Topic, Partition: tp.Partition, Offset: offset})
		}
	}
	return ends, nil
}

// replicasOn are the partitions of which a broker has a replica, with no leader epoch to insist on.
func replicasOn(all ask.Metadata, broker int) map[ask.TopicPartition]int32 {
	on := map[ask.TopicPartition]int32{}
	for topic, partitions := range all.Topics {
		for p, state := range partitions {
			if slices.Contains(state.Replicas, int32(broker)) {
				on[ask.TopicPartition{Topic: topic, Partition: p}] = ask.AnyEpoch
			}
		}
	}
	return on
}
