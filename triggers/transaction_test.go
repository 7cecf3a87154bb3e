package triggers

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
)

// nodes is a cluster that has node numbers and nothing else: its other methods panic.
type nodes struct {
	harness.Cluster
	numbers []int
}

func (n nodes) Info() harness.ClusterInfo { return harness.ClusterInfo{Nodes: n.numbers} }

// fieldOn has one pipeline with one transactional id, whose client is returned too.
func fieldOn(t *testing.T, fake *kfake.Cluster) (*harness.Field, *kgo.Client) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(fake.ListenAddrs()...), kgo.TransactionalID("t-0"))
	require.NoError(t, err)
	t.Cleanup(client.Close)
	layout := harness.PipelineLayout{PipelineInfo: harness.PipelineInfo{Name: "t"}, TransactionalIDs: []string{"t-0"}}
	return &harness.Field{
		Cluster: nodes{numbers: []int{0, 1, 2}}, Admin: client, Plan: harness.TopicPlan{Pipelines: []harness.PipelineLayout{layout}},
	}, client
}

// TestACoordinatorMayLoadFirst: another fault may have it move.
func TestACoordinatorMayLoadFirst(t *testing.T) {
	fake, err := kfake.NewCluster(kfake.NumBrokers(3), kfake.SeedTopics(1, "out"))
	require.NoError(t, err)
	t.Cleanup(fake.Close)
	f, client := fieldOn(t, fake)
	ctx := within(t, 30*time.Second)
	require.NoError(t, client.BeginTransaction())
	require.NoError(t, client.ProduceSync(ctx, &kgo.Record{Topic: "out"}).FirstErr())
	asked := 0
	fake.ControlKey(int16(kmsg.DescribeTransactions), func(req kmsg.Request) (kmsg.Response, error, bool) {
		fake.KeepControl()
		if asked++; asked > 3 { // once for each broker
			return nil, nil, false
		}
		resp := req.ResponseKind().(*kmsg.DescribeTransactionsResponse)
		s := kmsg.NewDescribeTransactionsResponseTransactionState()
		s.TransactionalID, s.ErrorCode = "t-0", kerr.CoordinatorLoadInProgress.Code
		resp.TransactionStates = append(resp.TransactionStates, s)
		return resp, nil, true
	})
	text, err := describeTransaction(ctx, f, harness.Member{Pipeline: "t"})
	require.NoError(t, err)
	require.Contains(t, text, "its transaction is Ongoing (producer id ")
	_, err = describeTransaction(ctx, f, harness.Member{Pipeline: "t", Number: 1})
	require.ErrorContains(t, err, "worker 1 of t has no transactional id")
}
