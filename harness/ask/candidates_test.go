package ask_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/ask"
)

// TestCandidatesOfTheNewestLeader: who lost nothing, by the broker that knows most.
func TestCandidatesOfTheNewestLeader(t *testing.T) {
	c := newCluster(t)
	answer(c, func(node int32, _ *kmsg.DescribeTopicPartitionsRequest, resp *kmsg.DescribeTopicPartitionsResponse) bool {
		topic, p := kmsg.NewDescribeTopicPartitionsResponseTopic(), kmsg.NewDescribeTopicPartitionsResponseTopicPartition()
		topic.Topic = kmsg.StringPtr("out")
		switch p.LeaderEpoch = []int32{4, 6, 5}[node]; p.LeaderEpoch {
		case 6:
			p.LeaderID, p.EligibleLeaderReplicas, p.LastKnownELR = -1, []int32{2, 1}, []int32{1}
		default:
			p.LeaderID, p.ISR = 0, []int32{0, 1, 2}
		}
		topic.Partitions = append(topic.Partitions, p)
		resp.Topics = append(resp.Topics, topic)
		return true
	})
	candidates, err := c.brokers().Candidates(within(t), "out")
	require.NoError(t, err)
	require.Equal(t, map[ask.TopicPartition]ask.Candidates{out0: {Leader: -1, LeaderEpoch: 6, Eligible: []int32{1, 2}}}, candidates)
	require.True(t, candidates[out0].Has(1))
	require.False(t, candidates[out0].Has(0))
}

func TestCandidatesOfAnUnknownTopic(t *testing.T) {
	c := newCluster(t)
	_, err := c.brokers().Candidates(within(t), "nosuch")
	require.ErrorIs(t, err, ask.ErrUnknownTopics)
}

func TestSetting(t *testing.T) {
	c := newCluster(t)
	ctx := within(t)
	set, err := c.brokers().Setting(ctx, kmsg.ConfigResourceTypeTopic, "in", "min.insync.replicas")
	require.NoError(t, err)
	require.NotEqual(t, kmsg.ConfigSourceDynamicTopicConfig, set.Source)
	req := kmsg.NewPtrIncrementalAlterConfigsRequest()
	res, entry := kmsg.NewIncrementalAlterConfigsRequestResource(), kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
	entry.Name, entry.Value = "min.insync.replicas", kmsg.StringPtr("2")
	res.ResourceType, res.ResourceName, res.Configs = kmsg.ConfigResourceTypeTopic, "in", append(res.Configs, entry)
	req.Resources = append(req.Resources, res)
	_, err = req.RequestWith(ctx, c.client)
	require.NoError(t, err)
	set, err = c.brokers().Setting(ctx, kmsg.ConfigResourceTypeTopic, "in", "min.insync.replicas")
	require.NoError(t, err)
	require.Equal(t, ask.Setting{Value: kmsg.StringPtr("2"), Source: kmsg.ConfigSourceDynamicTopicConfig}, set)
	_, err = c.brokers().Setting(ctx, kmsg.ConfigResourceTypeTopic, "in", "no.such")
	require.ErrorContains(t, err, "broker 0, DescribeConfigs of no.such of in: there is no such setting")
}
