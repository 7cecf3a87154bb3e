package ask_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/ask"
)

func commit(t *testing.T, c cluster, group string, at map[ask.TopicPartition]int64) {
	t.Helper()
	offsets := kadm.Offsets{}
	for tp, offset := range at {
		offsets.AddOffset(tp.Topic, tp.Partition, offset, -1)
	}
	require.NoError(t, kadm.NewClient(c.client).CommitAllOffsets(within(t), group, offsets))
}

func TestCommittedOffsets(t *testing.T) {
	c := newCluster(t)
	ctx := within(t)
	offsets, err := c.brokers().CommittedOffsets(ctx, "g", true, in0, in1)
	require.NoError(t, err)
	require.Equal(t, map[ask.TopicPartition]int64{in0: -1, in1: -1}, offsets, "a group that never was")

	commit(t, c, "g", map[ask.TopicPartition]int64{in0: 5, out0: 6})
	offsets, err = c.brokers().CommittedOffsets(ctx, "g", true, in0, in1)
	require.NoError(t, err)
	require.Equal(t, map[ask.TopicPartition]int64{in0: 5, in1: -1}, offsets)
	offsets, err = c.brokers().CommittedOffsets(ctx, "g", false)
	require.NoError(t, err)
	require.Equal(t, map[ask.TopicPartition]int64{in0: 5, out0: 6}, offsets, "all there are")

	state, err := c.brokers().GroupState(ctx, "g")
	require.NoError(t, err)
	require.Equal(t, "Empty", state)
	groups, err := c.brokers().Groups(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{"g"}, groups)
	_, err = c.brokers().GroupState(ctx, "nosuch")
	require.ErrorContains(t, err, "ListGroups of nosuch: its coordinator does not know the group")
}

// fetched answers for in/0 only, with a code.
func fetched(code int16) func(int32, *kmsg.OffsetFetchRequest, *kmsg.OffsetFetchResponse) bool {
	return func(_ int32, req *kmsg.OffsetFetchRequest, resp *kmsg.OffsetFetchResponse) bool {
		g, topic, p := kmsg.NewOffsetFetchResponseGroup(), kmsg.NewOffsetFetchResponseGroupTopic(), kmsg.NewOffsetFetchResponseGroupTopicPartition()
		if !req.RequireStable {
			return false
		}
		g.Group, topic.Topic, p.ErrorCode = "g", "in", code
		topic.Partitions = append(topic.Partitions, p)
		g.Topics = append(g.Topics, topic)
		resp.Groups = append(resp.Groups, g)
		return true
	}
}

func TestUnstableAndMissingOffsetsAreErrors(t *testing.T) {
	for code, want := range map[int16]string{
		kerr.UnstableOffsetCommit.Code: "OffsetFetch of g in in/0: UNSTABLE_OFFSET_COMMIT",
		0:                              "OffsetFetch of g in in/1: its answer leaves this out",
	} {
		c := newCluster(t)
		answer(c, fetched(code))
		_, err := c.brokers().CommittedOffsets(within(t), "g", true, in0, in1)
		require.ErrorContains(t, err, want)
		_, err = c.brokers().CommittedOffsets(within(t), "g", false, in0, in1)
		require.NoError(t, err)
	}
}

// TestACoordinatorIsFoundWhereOneBrokerDoesNotKnow.
func TestACoordinatorIsFoundWhereOneBrokerDoesNotKnow(t *testing.T) {
	c := newCluster(t)
	answer(c, func(node int32, _ *kmsg.FindCoordinatorRequest, resp *kmsg.FindCoordinatorResponse) bool {
		if node != 0 {
			return false
		}
		found := kmsg.NewFindCoordinatorResponseCoordinator()
		found.Key, found.NodeID, found.ErrorCode = "g", -1, kerr.CoordinatorNotAvailable.Code
		resp.Coordinators = append(resp.Coordinators, found)
		return true
	})
	node, err := c.brokers().Coordinator(within(t), ask.GroupCoordinator, "g")
	require.NoError(t, err)
	require.Equal(t, int(c.CoordinatorFor("g")), node)
	_, err = c.brokers().Only(0).Coordinator(within(t), ask.GroupCoordinator, "g")
	require.ErrorContains(t, err, "broker 0, FindCoordinator of g: COORDINATOR_NOT_AVAILABLE")
}

// shared answers for in/0 only, or refuses the group.
func shared(code int16) func(int32, *kmsg.DescribeShareGroupOffsetsRequest, *kmsg.DescribeShareGroupOffsetsResponse) bool {
	return func(_ int32, _ *kmsg.DescribeShareGroupOffsetsRequest, resp *kmsg.DescribeShareGroupOffsetsResponse) bool {
		g, topic, p := kmsg.NewDescribeShareGroupOffsetsResponseGroup(), kmsg.NewDescribeShareGroupOffsetsResponseGroupTopic(), kmsg.NewDescribeShareGroupOffsetsResponseGroupTopicPartition()
		g.GroupID, g.ErrorCode = "s", code
		topic.Topic, p.StartOffset, p.Lag = "in", 8, 2
		topic.Partitions = append(topic.Partitions, p)
		g.Topics = append(g.Topics, topic)
		resp.Groups = append(resp.Groups, g)
		return true
	}
}

func TestShareOffsets(t *testing.T) {
	c := newCluster(t)
	answer(c, shared(0))
	offsets, err := c.brokers().ShareOffsets(within(t), "s", in0)
	require.NoError(t, err)
	require.Equal(t, map[ask.TopicPartition]ask.ShareOffset{in0: {Start: 8, Lag: 2}}, offsets)
	_, err = c.brokers().ShareOffsets(within(t), "s", in0, in1)
	require.ErrorContains(t, err, "DescribeShareGroupOffsets of s in in/1: its answer leaves this out")

	c = newCluster(t)
	answer(c, shared(kerr.GroupIDNotFound.Code))
	offsets, err = c.brokers().ShareOffsets(within(t), "s", in0)
	require.NoError(t, err)
	require.Equal(t, map[ask.TopicPartition]ask.ShareOffset{in0: {Start: -1, Lag: -1}}, offsets)
}
