package ask_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/chaeos/chaeos/harness/ask"
)

func metadata() kmsg.Request { return ask.MetadataRequest() }

// TestAnUnreachableBrokerIsPassedOver: the next one answers. Where none does, the error names each broker, the
// request and what to do.
func TestAnUnreachableBrokerIsPassedOver(t *testing.T) {
	c := newCluster(t)
	brokers := ask.Of(refusing(t, c, 1), 1, 2)
	_, err := ask.First[*kmsg.MetadataResponse](within(t), brokers, metadata())
	require.NoError(t, err)

	_, err = ask.First[*kmsg.MetadataResponse](within(t), brokers.Only(1, 1), metadata())
	require.ErrorContains(t, err, "broker 1, Metadata: ")
	require.ErrorContains(t, err, "connection refused; broker 1, Metadata: ")
	require.ErrorContains(t, err, "connection refused (it is down, paused, cut off or fenced: ask another broker, or this one after the heal)")
	var e *ask.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "broker 1", e.Broker)
	require.Equal(t, "Metadata", e.Request)

	answers := ask.All[*kmsg.MetadataResponse](within(t), brokers, metadata)
	require.Len(t, answers, 2)
	require.Error(t, answers[0].Err)
	require.NoError(t, answers[1].Err)
	require.Equal(t, 2, answers[1].Node)
}

// TestAPausedBrokerIsGivenUp: it accepts and never answers; the bound is one question's, not the caller's.
func TestAPausedBrokerIsGivenUp(t *testing.T) {
	c := newCluster(t)
	brokers := c.brokers()
	_, err := brokers.Metadata(within(t)) // the client now knows every address
	require.NoError(t, err)
	c.silence(t, 0, kmsg.Metadata)
	brokers = brokers.Within(50 * time.Millisecond)
	_, err = ask.One[*kmsg.MetadataResponse](within(t), brokers, 0, metadata())
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "broker 0, Metadata: no answer within 50ms: ")
	require.ErrorContains(t, err, "it is down, paused, cut off or fenced")
}

// TestACancelledQuestionBlamesNoBroker: no other is asked, and there is no advice.
func TestACancelledQuestionBlamesNoBroker(t *testing.T) {
	c := newCluster(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := ask.First[*kmsg.MetadataResponse](ctx, c.brokers(), metadata())
	require.ErrorIs(t, err, context.Canceled)
	require.NotContains(t, err.Error(), "it is down")
	require.NotContains(t, err.Error(), "broker 1")
}

func TestNoBrokerToAsk(t *testing.T) {
	c := newCluster(t)
	_, err := ask.First[*kmsg.MetadataResponse](within(t), ask.Of(c.client), metadata())
	require.ErrorContains(t, err, "there is no broker to ask")
	_, _, err = ask.Of(c.client).Newest(within(t))
	require.ErrorContains(t, err, "there is no broker to ask")
	_, err = ask.Of(c.client, 9).Metadata(within(t))
	require.ErrorContains(t, err, "broker 9, Metadata: unknown broker (it is down, paused, cut off or fenced")
}

// TestAnOldKafkaIsNotDown: a request that a broker doesn't know is no question of reach.
func TestAnOldKafkaIsNotDown(t *testing.T) {
	c := newCluster(t, kgo.MaxVersions(kversion.V2_0_0()))
	_, err := c.brokers().TransactionalIDs(within(t))
	require.ErrorIs(t, err, kerr.UnsupportedVersion)
	require.NotContains(t, err.Error(), "it is down")
	_, err = c.brokers().OpenTransactions(within(t), 0, in0)
	require.ErrorIs(t, err, kerr.UnsupportedVersion)
	require.ErrorContains(t, err, "use a newer version")
	require.NotContains(t, err.Error(), "it is down")
}

// TestSeedsAreAskedWhereTheyAre: whatever the brokers advertise.
func TestSeedsAreAskedWhereTheyAre(t *testing.T) {
	c := newCluster(t)
	client := newClient(t, c.Cluster, kgo.SeedBrokers(c.ListenAddrs()[2]))
	answer(c, func(node int32, _ *kmsg.MetadataRequest, resp *kmsg.MetadataResponse) bool {
		b := kmsg.NewMetadataResponseBroker()
		b.NodeID, b.Host, b.Port = node, "nowhere.invalid", 1
		resp.Brokers = append(resp.Brokers, b)
		return true
	})
	brokers := ask.Seeds(client)
	require.Equal(t, []int{0}, brokers.Nodes())
	registered, err := brokers.Registered(within(t))
	require.NoError(t, err)
	require.Equal(t, []int{2}, registered)
	c.Close()
	_, err = brokers.Registered(within(t))
	require.ErrorContains(t, err, "bootstrap broker 0, Metadata: ")
}

// TestAnErrorSaysWhatToDo, where somebody can do something.
func TestAnErrorSaysWhatToDo(t *testing.T) {
	words := "it is on the moon"
	for _, c := range []struct {
		err  error
		want string
	}{
		{kerr.NotLeaderForPartition, "broker 2, ListOffsets of out/0: NOT_LEADER_FOR_PARTITION: This server is not the leader for that topic-partition" +
			" (the leader is moving: look it up again, then ask it)"},
		{kerr.NotCoordinator, "look it up again"},
		{kerr.UnknownTopicOrPartition, "check the name, or ask again"},
		{kerr.UnstableOffsetCommit, "ask again once it has ended"},
		{ask.CodeError(kerr.NotController.Code, &words), "(it is on the moon)"},
		{errors.New("odd"), "broker 2, ListOffsets of out/0: odd"},
	} {
		require.ErrorContains(t, &ask.Error{Broker: "broker 2", Request: "ListOffsets", About: "out/0", Err: c.err}, c.want)
	}
	require.NoError(t, ask.CodeError(0, &words))
}

func TestTopicPartitions(t *testing.T) {
	a, b, c := ask.TopicPartition{Topic: "in", Partition: 10}, ask.TopicPartition{Topic: "out", Partition: 2}, ask.TopicPartition{Topic: "out", Partition: 10}
	require.Equal(t, "out/2", b.String())
	list := []ask.TopicPartition{c, a, b}
	require.Equal(t, []string{"in", "out"}, ask.Topics(list))
	slices.SortFunc(list, ask.TopicPartition.Compare)
	require.Equal(t, []ask.TopicPartition{a, b, c}, list)
}
