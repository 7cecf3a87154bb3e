package ask_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/fakequorum"
)

// quorumOf makes brokers describe the quorum so.
func quorumOf(t *testing.T, c cluster, describe func(node int32, resp *kmsg.DescribeQuorumResponse, p *kmsg.DescribeQuorumResponseTopicPartition)) {
	answer(c, func(node int32, _ *kmsg.DescribeQuorumRequest, resp *kmsg.DescribeQuorumResponse) bool {
		topic, p := kmsg.NewDescribeQuorumResponseTopic(), kmsg.NewDescribeQuorumResponseTopicPartition()
		describe(node, resp, &p)
		topic.Topic, topic.Partitions = "__cluster_metadata", append(topic.Partitions, p)
		resp.Topics = append(resp.Topics, topic)
		return true
	})
	require.NoError(t, fakequorum.Answer(within(t), c.Cluster, 0)) // announces that they can
}

func TestQuorum(t *testing.T) {
	c := newCluster(t)
	quorumOf(t, c, func(_ int32, _ *kmsg.DescribeQuorumResponse, p *kmsg.DescribeQuorumResponseTopicPartition) {
		p.LeaderID = 2
		voter, observer := kmsg.NewDescribeQuorumResponseTopicPartitionReplicaState(), kmsg.NewDescribeQuorumResponseTopicPartitionReplicaState()
		voter.ReplicaID, voter.LastFetchTimestamp = 2, -1
		observer.ReplicaID, observer.LastFetchTimestamp = 4, 99
		p.CurrentVoters, p.Observers = append(p.CurrentVoters, voter), append(p.Observers, observer)
	})
	quorum, err := c.brokers().Quorum(within(t))
	require.NoError(t, err)
	require.Equal(t, 2, quorum.Leader)
	require.Equal(t, map[int]int64{2: -1, 4: 99}, quorum.Heard)
	require.True(t, quorum.HeardSince(2, 100), "the leader itself")
	require.True(t, quorum.HeardSince(4, 99))
	require.False(t, quorum.HeardSince(4, 100))
	controller, err := c.brokers().Controller(within(t))
	require.NoError(t, err)
	require.Equal(t, 2, controller)
}

// TestWhoKnowsNoControllerIsPassedOver: an answer with an error, or without a leader, is none.
func TestWhoKnowsNoControllerIsPassedOver(t *testing.T) {
	c := newCluster(t)
	quorumOf(t, c, func(node int32, resp *kmsg.DescribeQuorumResponse, p *kmsg.DescribeQuorumResponseTopicPartition) {
		switch node {
		case 0:
			resp.ErrorCode = kerr.NotController.Code
		case 1:
			p.LeaderID = -1
		default:
			p.LeaderID = 1
		}
	})
	controller, err := c.brokers().Controller(within(t))
	require.NoError(t, err)
	require.Equal(t, 1, controller)
	_, err = c.brokers().Only(0, 1).Controller(within(t))
	require.ErrorContains(t, err, "broker 0, DescribeQuorum: NOT_CONTROLLER")
	require.ErrorContains(t, err, "; broker 1, DescribeQuorum: no active controller is known; wait for an election")
}

func TestFeatures(t *testing.T) {
	c := newCluster(t)
	require.NoError(t, fakequorum.Answer(within(t), c.Cluster, 0))
	levels, err := c.brokers().Features(within(t))
	require.NoError(t, err)
	require.Equal(t, map[string]int16{"transaction.version": 2}, levels)
}
