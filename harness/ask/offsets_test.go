package ask_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/ask"
)

var (
	in0  = ask.TopicPartition{Topic: "in", Partition: 0}
	in1  = ask.TopicPartition{Topic: "in", Partition: 1}
	out0 = ask.TopicPartition{Topic: "out", Partition: 0}
)

// TestOffsets: an open transaction holds the last stable offset behind the high watermark.
func TestOffsets(t *testing.T) {
	c := newCluster(t, kgo.TransactionalID("t"))
	ctx := within(t)
	plain := newClient(t, c.Cluster)
	for range 3 {
		require.NoError(t, plain.ProduceSync(ctx, &kgo.Record{Topic: "in"}, &kgo.Record{Topic: "in", Partition: 1}).FirstErr())
	}
	require.NoError(t, c.client.BeginTransaction())
	require.NoError(t, c.client.ProduceSync(ctx, &kgo.Record{Topic: "in"}).FirstErr())
	leaders, err := c.brokers().Leaders(ctx, "in")
	require.NoError(t, err)
	require.Len(t, leaders, partitions)
	for which, want := range map[ask.LogOffset]map[ask.TopicPartition]int64{
		ask.LogStart: {in0: 0, in1: 0}, ask.LastStableOffset: {in0: 3, in1: 3}, ask.HighWatermark: {in0: 4, in1: 3},
	} {
		offsets, err := c.brokers().LeaderOffsets(ctx, leaders, which)
		require.NoError(t, err)
		require.Equal(t, want, offsets, which)
	}
}

// TestALogsEndIsAskedOfAReplica: the debugging replica's id makes followers answer too.
func TestALogsEndIsAskedOfAReplica(t *testing.T) {
	c := newCluster(t)
	answer(c, func(_ int32, req *kmsg.ListOffsetsRequest, resp *kmsg.ListOffsetsResponse) bool {
		listed(resp, req, func(p *kmsg.ListOffsetsResponseTopicPartition) { p.Offset = -1000 * int64(req.ReplicaID) })
		return true
	})
	offsets, err := c.brokers().Offsets(within(t), 1, ask.LogEnd, map[ask.TopicPartition]int32{in0: ask.AnyEpoch})
	require.NoError(t, err)
	require.Equal(t, map[ask.TopicPartition]int64{in0: 2000}, offsets)
	offsets, err = c.brokers().Offsets(within(t), 1, ask.ReplicaStart, map[ask.TopicPartition]int32{in0: ask.AnyEpoch})
	require.NoError(t, err)
	require.Equal(t, map[ask.TopicPartition]int64{in0: 2000}, offsets)
}

// listed answers a request, with each partition shown to change.
func listed(resp *kmsg.ListOffsetsResponse, req *kmsg.ListOffsetsRequest, change func(*kmsg.ListOffsetsResponseTopicPartition)) {
	for _, t := range req.Topics {
		topic := kmsg.NewListOffsetsResponseTopic()
		topic.Topic = t.Topic
		for _, of := range t.Partitions {
			p := kmsg.NewListOffsetsResponseTopicPartition()
			p.Partition = of.Partition
			change(&p)
			topic.Partitions = append(topic.Partitions, p)
		}
		resp.Topics = append(resp.Topics, topic)
	}
}

// TestAMovedLeaderIsAnError, with the partition and what to do about it.
func TestAMovedLeaderIsAnError(t *testing.T) {
	c := newCluster(t)
	ctx := within(t)
	leaders, err := c.brokers().Leaders(ctx, "out")
	require.NoError(t, err)
	require.NoError(t, c.MoveTopicPartition("out", 0, (c.LeaderFor("out", 0)+1)%nodes))
	_, err = c.brokers().LeaderOffsets(ctx, leaders, ask.HighWatermark)
	require.ErrorContains(t, err, "ListOffsets of the high watermark of out/0: FENCED_LEADER_EPOCH")
	require.ErrorContains(t, err, "look it up again")

	// Who insists on no epoch is refused by the old leader, too, for it knows.
	_, err = c.brokers().Offsets(ctx, leaders[out0].Node, ask.HighWatermark, map[ask.TopicPartition]int32{out0: ask.AnyEpoch})
	require.ErrorIs(t, err, kerr.NotLeaderForPartition)
}

// TestAPartialAnswerIsAnError: what is left out is no zero.
func TestAPartialAnswerIsAnError(t *testing.T) {
	c := newCluster(t)
	answer(c, func(_ int32, req *kmsg.ListOffsetsRequest, resp *kmsg.ListOffsetsResponse) bool {
		listed(resp, req, func(p *kmsg.ListOffsetsResponseTopicPartition) { p.Offset = 7 })
		resp.Topics[0].Partitions = resp.Topics[0].Partitions[:1]
		return true
	})
	ctx := within(t)
	offsets, err := c.brokers().Offsets(ctx, 1, ask.LogStart, map[ask.TopicPartition]int32{in0: ask.AnyEpoch})
	require.NoError(t, err)
	require.Equal(t, map[ask.TopicPartition]int64{in0: 7}, offsets)
	_, err = c.brokers().Offsets(ctx, 1, ask.LogStart, map[ask.TopicPartition]int32{in0: ask.AnyEpoch, in1: ask.AnyEpoch})
	require.ErrorContains(t, err, "broker 1, ListOffsets of the log start of in/1: its answer leaves this out")

	answer(c, func(int32, *kmsg.DescribeProducersRequest, *kmsg.DescribeProducersResponse) bool { return true })
	_, err = c.brokers().OpenTransactions(ctx, 2, in1)
	require.ErrorContains(t, err, "broker 2, DescribeProducers of in/1: its answer leaves this out")

	answer(c, func(int32, *kmsg.DescribeTransactionsRequest, *kmsg.DescribeTransactionsResponse) bool { return true })
	_, err = c.brokers().Only(2).Transaction(ctx, "t")
	require.ErrorContains(t, err, "broker 2, DescribeTransactions of t: its answer leaves this out")
}
