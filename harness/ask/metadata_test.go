package ask_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/ask"
)

// believes is what one broker says of out/0.
type believes struct {
	leader, epoch int32
	isr           []int32
}

// tell makes each broker answer what it believes of out/0; one without a belief does not know the topic.
func tell(c cluster, of map[int32]believes) {
	answer(c, func(node int32, _ *kmsg.MetadataRequest, resp *kmsg.MetadataResponse) bool {
		for n := range int32(nodes) {
			b := kmsg.NewMetadataResponseBroker()
			b.NodeID, b.Host, b.Port = c.at(n)
			resp.Brokers = append(resp.Brokers, b)
		}
		topic := kmsg.NewMetadataResponseTopic()
		topic.Topic = kmsg.StringPtr("out")
		if is, ok := of[node]; ok {
			p := kmsg.NewMetadataResponseTopicPartition()
			p.Leader, p.LeaderEpoch, p.ISR, p.Replicas = is.leader, is.epoch, is.isr, []int32{0, 1, 2}
			topic.Partitions, topic.TopicID = append(topic.Partitions, p), [16]byte{7}
		} else {
			topic.ErrorCode = kerr.UnknownTopicOrPartition.Code
		}
		resp.Topics = append(resp.Topics, topic)
		return true
	})
}

// TestAnOlderAnswerNeverOverridesANewer, whichever broker gives it and in whatever order they are asked.
func TestAnOlderAnswerNeverOverridesANewer(t *testing.T) {
	old, newer, newest := believes{0, 4, []int32{0, 1, 2}}, believes{1, 5, []int32{1, 2}}, believes{2, 6, []int32{2}}
	leaderless := believes{-1, 7, nil}
	for name, is := range map[string]struct {
		of   map[int32]believes
		want believes
	}{
		"the last is the newest":     {map[int32]believes{0: old, 1: newer, 2: newest}, newest},
		"the first is the newest":    {map[int32]believes{0: newest, 1: newer, 2: old}, newest},
		"that in between":            {map[int32]believes{0: old, 1: newest, 2: newer}, newest},
		"no broker leads":            {map[int32]believes{0: leaderless, 1: newest, 2: old}, leaderless},
		"one does not know it":       {map[int32]believes{1: old, 2: newer}, newer},
		"the first of equal answers": {map[int32]believes{0: old, 1: {0, 4, []int32{0}}}, old},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			tell(c, is.of)
			for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}} {
				if name == "the first of equal answers" && order[0] != 0 {
					continue
				}
				md, answered, err := c.brokers().Only(order...).Newest(within(t), "out")
				require.NoError(t, err)
				require.Equal(t, order, answered)
				state := md.Topics["out"][0]
				require.Equal(t, is.want, believes{int32(state.Leader), state.LeaderEpoch, state.ISR}, order)

				leaders, err := c.brokers().Only(order...).Leaders(within(t), "out")
				require.NoError(t, err)
				leader, leads := leaders[ask.TopicPartition{Topic: "out"}]
				require.Equal(t, is.want.leader >= 0, leads)
				if leads {
					require.Equal(t, ask.Leader{
						Node: int(is.want.leader), Epoch: is.want.epoch, TopicID: [16]byte{7}, Address: c.ListenAddrs()[is.want.leader],
					}, leader)
				}
			}
		})
	}
}

// TestNewestOfThoseThatAnswer: a paused broker is left out.
func TestNewestOfThoseThatAnswer(t *testing.T) {
	c := newCluster(t)
	_, err := c.brokers().Metadata(within(t)) // so that the client doesn't have to ask the silent broker who there is
	require.NoError(t, err)
	c.silence(t, 2, kmsg.Metadata)
	md, answered, err := c.brokers().Within(200*time.Millisecond).Newest(within(t), "in", "nosuch")
	require.NoError(t, err)
	require.Equal(t, []int{0, 1}, answered)
	require.Len(t, md.Topics["in"], partitions)
	require.NotContains(t, md.Topics, "nosuch")

	_, answered, err = c.brokers().Only(1, 0).Newest(within(t), "nosuch")
	require.ErrorIs(t, err, ask.ErrUnknownTopics)
	require.Equal(t, []int{1, 0}, answered)

	_, answered, err = c.brokers().Only(2).Within(50*time.Millisecond).Newest(within(t), "in")
	require.ErrorContains(t, err, "broker 2, Metadata: no answer within 50ms")
	require.Empty(t, answered)
}

// TestMetadata: all topics unless some are named.
func TestMetadata(t *testing.T) {
	c := newCluster(t)
	md, err := c.brokers().Metadata(within(t))
	require.NoError(t, err)
	require.Equal(t, []int{0, 1, 2}, md.Brokers)
	require.Equal(t, c.ListenAddrs()[1], md.Addresses[1])
	require.Len(t, md.Topics, 2)
	state := md.Topics["out"][1]
	require.Equal(t, int(c.LeaderFor("out", 1)), state.Leader)
	require.True(t, state.InSync())
	require.False(t, ask.PartitionState{Leader: -1}.InSync())
	require.False(t, ask.PartitionState{ISR: []int32{1}, Replicas: []int32{1, 2}}.InSync())

	md, err = c.brokers().Metadata(within(t), "in")
	require.NoError(t, err)
	require.Len(t, md.Topics, 1)
	require.NotZero(t, md.TopicIDs["in"])
}
