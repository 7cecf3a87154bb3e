package ask_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/ask"
)

// TestAnOpenTransactionIsNamed: from its partition's leader to its producer, and from there to its coordinator.
func TestAnOpenTransactionIsNamed(t *testing.T) {
	c := newCluster(t, kgo.TransactionalID("t"), kgo.TransactionTimeout(40*time.Second))
	ctx := within(t)
	leader := int(c.LeaderFor("out", 0))
	open, err := c.brokers().OpenTransactions(ctx, leader, out0)
	require.NoError(t, err)
	require.Empty(t, open)

	require.NoError(t, c.client.BeginTransaction())
	require.NoError(t, c.client.ProduceSync(ctx, &kgo.Record{Topic: "out"}, &kgo.Record{Topic: "out"}).FirstErr())
	open, err = c.brokers().OpenTransactions(ctx, leader, out0)
	require.NoError(t, err)
	require.Len(t, open, 1)
	require.Equal(t, out0, open[0].TopicPartition)
	require.Zero(t, open[0].Start)
	require.Positive(t, open[0].LastTimestamp)

	named, err := c.brokers().TransactionOf(ctx, open[0].ProducerID)
	require.NoError(t, err)
	require.Equal(t, "t", named.TransactionalID)
	require.Equal(t, open[0].ProducerID, named.ProducerID)
	require.Equal(t, ask.Ongoing, named.State)
	require.EqualValues(t, 40_000, named.TimeoutMillis)
	coordinator, err := c.brokers().Coordinator(ctx, ask.TransactionCoordinator, "t")
	require.NoError(t, err)
	require.Equal(t, coordinator, named.Coordinator)

	again, err := c.brokers().Transaction(ctx, "t")
	require.NoError(t, err)
	require.Equal(t, named, again)
	ids, err := c.brokers().TransactionalIDs(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{"t"}, ids)
}

// TestOnlyTheCoordinatorKnowsATransaction: where no broker does, the error has what each of them answered.
func TestOnlyTheCoordinatorKnowsATransaction(t *testing.T) {
	c := newCluster(t)
	ctx := within(t)
	_, err := c.brokers().Transaction(ctx, "nosuch")
	require.ErrorIs(t, err, kerr.TransactionalIDNotFound)
	require.ErrorContains(t, err, "DescribeTransactions of nosuch: NOT_COORDINATOR")
	_, err = c.brokers().TransactionOf(ctx, 77)
	require.ErrorContains(t, err, "broker 0, ListTransactions of producer 77: it coordinates no transaction of that producer; ask the other brokers; broker 1, ")
}

// TestWhatIsKnownOfATransactionIsReturned: its id, where its coordinator says no more.
func TestWhatIsKnownOfATransactionIsReturned(t *testing.T) {
	c := newCluster(t, kgo.TransactionalID("t"))
	ctx := within(t)
	require.NoError(t, c.client.BeginTransaction())
	require.NoError(t, c.client.ProduceSync(ctx, &kgo.Record{Topic: "out"}).FirstErr())
	id, _, err := c.client.ProducerID(ctx)
	require.NoError(t, err)
	answer(c, func(_ int32, _ *kmsg.DescribeTransactionsRequest, resp *kmsg.DescribeTransactionsResponse) bool {
		s := kmsg.NewDescribeTransactionsResponseTransactionState()
		s.TransactionalID, s.ErrorCode = "t", kerr.CoordinatorLoadInProgress.Code
		resp.TransactionStates = append(resp.TransactionStates, s)
		return true
	})
	known, err := c.brokers().TransactionOf(ctx, id)
	require.ErrorIs(t, err, kerr.CoordinatorLoadInProgress)
	require.Equal(t, ask.Transaction{
		TransactionalID: "t", ProducerID: id, ProducerEpoch: -1, State: ask.Ongoing, Coordinator: known.Coordinator, StartMillis: -1,
	}, known)
	require.GreaterOrEqual(t, known.Coordinator, 0)
}
