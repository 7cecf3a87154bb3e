package admin

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
)

// debuggingReplica is the replica id that asks a broker for the end of its own log, also where it doesn't lead (Kafka,
// ListOffsetsRequest.DEBUGGING_REPLICA_ID).
const debuggingReplica = int32(-2)

// NewestOffset is the timestamp that asks for a log's end.
const NewestOffset = int64(-1)

// LogEnds asks each broker where each of its logs ends, those of internal topics too. All brokers must answer: a log whose
// end isn't known can't be cut fairly.
func LogEnds(ctx context.Context, f *harness.Field, brokers []int) (map[int][]harness.LogEnd, error) {
	all, err := harness.AskMetadata(ctx, f.Admin, f.Cluster.Info().Nodes)
	if err != nil {
		return nil, err
	}
	ends := map[int][]harness.LogEnd{}
	for _, b := range brokers {
		if ends[b], err = logEndsOn(ctx, f, all, b); err != nil {
			return nil, fmt.Errorf("where the logs of broker %d end: %w", b, err)
		}
	}
	return ends, nil
}

func logEndsOn(ctx context.Context, f *harness.Field, all harness.Metadata, broker int) ([]harness.LogEnd, error) {
	req := kmsg.NewPtrListOffsetsRequest()
	req.ReplicaID = debuggingReplica
	for name, parts := range all.Topics {
		topic := kmsg.NewListOffsetsRequestTopic()
		topic.Topic = name
		for p, state := range parts {
			for _, r := range state.Replicas {
				if int(r) == broker {
					part := kmsg.NewListOffsetsRequestTopicPartition()
					part.Partition, part.Timestamp, part.CurrentLeaderEpoch = p, NewestOffset, -1
					topic.Partitions = append(topic.Partitions, part)
				}
			}
		}
		if len(topic.Partitions) > 0 {
			req.Topics = append(req.Topics, topic)
		}
	}
	resp, err := AskNodes[*kmsg.ListOffsetsResponse](ctx, f.Admin, []int{broker}, req)
	if err != nil {
		return nil, err
	}
	var ends []harness.LogEnd
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				return nil, fmt.Errorf("%s/%d: %w", t.Topic, p.Partition, err)
			}
			ends = append(ends, harness.LogEnd{Topic: t.Topic, Partition: p.Partition, Offset: p.Offset})
		}
	}
	return ends, nil
}
