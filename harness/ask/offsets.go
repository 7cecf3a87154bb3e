package ask

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// LogOffset is one of a log's offsets that brokers tell.
type LogOffset int

// The offsets of a log, from its start to its end.
const (
	LogStart LogOffset = iota
	LastStableOffset
	HighWatermark
	// LogEnd is the end of a replica's own log, replicated or not. Followers answer too.
	LogEnd
	// ReplicaStart is where a replica's own log begins. Followers answer too.
	ReplicaStart
)

// String names the offset for people.
func (o LogOffset) String() string {
	return [...]string{"log start", "last stable offset", "high watermark", "log end", "start of the replica's log"}[o]
}

// Timestamps and replica ids that ListOffsets gives a meaning of their own (Kafka, ListOffsetsRequest).
const (
	latestTimestamp   = int64(-1)
	earliestTimestamp = int64(-2)
	consumerReplica   = int32(-1)
	debuggingReplica  = int32(-2)
)

// AnyEpoch is the leader epoch of who doesn't insist on one.
const AnyEpoch = int32(-1)

// Offsets asks one broker for an offset of each partition, insisting on the leader epoch that goes with it. It is all of
// them or an error.
func (b Brokers) Offsets(ctx context.Context, node int, which LogOffset, epochs map[TopicPartition]int32) (map[TopicPartition]int64, error) {
	req := OffsetsRequest(which, epochs)
	resp, err := One[*kmsg.ListOffsetsResponse](ctx, b, node, req)
	if err != nil {
		return nil, err
	}
	answers := map[TopicPartition]Offset{}
	ReadOffsets(resp, answers)
	offsets := map[TopicPartition]int64{}
	for _, tp := range slices.SortedFunc(maps.Keys(epochs), TopicPartition.Compare) {
		answer, ok := answers[tp]
		if !ok {
			answer.Err = errLeftOut
		}
		if answer.Err != nil {
			return nil, b.failed(node, req, fmt.Sprintf("the %s of %s", which, tp), answer.Err)
		}
		offsets[tp] = answer.Offset
	}
	return offsets, nil
}

// LeaderOffsets asks each partition's leader for an offset, insisting on its epoch. It is all of them or an error.
func (b Brokers) LeaderOffsets(ctx context.Context, leaders map[TopicPartition]Leader, which LogOffset) (map[TopicPartition]int64, error) {
	epochs := map[int]map[TopicPartition]int32{}
	for tp, leader := range leaders {
		if epochs[leader.Node] == nil {
			epochs[leader.Node] = map[TopicPartition]int32{}
		}
		epochs[leader.Node][tp] = leader.Epoch
	}
	all := map[TopicPartition]int64{}
	for _, node := range slices.Sorted(maps.Keys(epochs)) {
		offsets, err := b.Offsets(ctx, node, which, epochs[node])
		if err != nil {
			return nil, err
		}
		maps.Copy(all, offsets)
	}
	return all, nil
}

// OffsetsRequest asks a broker for an offset of each partition, with the leader epoch to insist on.
func OffsetsRequest(which LogOffset, epochs map[TopicPartition]int32) *kmsg.ListOffsetsRequest {
	req := kmsg.NewPtrListOffsetsRequest()
	req.ReplicaID = consumerReplica
	timestamp := latestTimestamp
	switch which {
	case LogStart:
		timestamp = earliestTimestamp
	case LastStableOffset:
		req.IsolationLevel = 1
	case LogEnd:
		req.ReplicaID = debuggingReplica
	case ReplicaStart:
		req.ReplicaID, timestamp = debuggingReplica, earliestTimestamp
	case HighWatermark:
	}
	topics, numbers := byTopic(slices.Collect(maps.Keys(epochs)))
	for _, name := range topics {
		topic := kmsg.NewListOffsetsRequestTopic()
		topic.Topic = name
		for _, n := range numbers[name] {
			p := kmsg.NewListOffsetsRequestTopicPartition()
			p.Partition, p.CurrentLeaderEpoch, p.Timestamp = n, epochs[TopicPartition{name, n}], timestamp
			topic.Partitions = append(topic.Partitions, p)
		}
		req.Topics = append(req.Topics, topic)
	}
	return req
}

// Offset is one broker's answer for one partition, and the leader epoch in which it was true.
type Offset struct {
	Offset int64
	Epoch  int32
	Err    error
}

// ReadOffsets adds what a broker answered to answers. What the broker left out is missing.
func ReadOffsets(resp *kmsg.ListOffsetsResponse, answers map[TopicPartition]Offset) {
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			answers[TopicPartition{t.Topic, p.Partition}] = Offset{p.Offset, p.LeaderEpoch, kerr.ErrorForCode(p.ErrorCode)}
		}
	}
}
