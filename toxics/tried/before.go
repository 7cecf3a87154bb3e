package tried

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/effects"
	"github.com/chaeos/chaeos/harness/wait"
)

// patience bounds each request here.
const patience = time.Minute

// writer is a client over the links of the field's own.
func writer(t testing.TB, f *harness.Field, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	client, err := kgo.NewClient(append(f.Admin.Opts(), append(opts, kgo.RecordPartitioner(kgo.ManualPartitioner()))...)...)
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return client
}

func produce(t testing.TB, client *kgo.Client, topic string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.NoError(t, client.ProduceSync(ctx, &kgo.Record{Topic: topic, Value: []byte("v")}).FirstErr())
}

// recordsToLose writes a record to the first partition of every output.
func recordsToLose(t testing.TB, f *harness.Field) {
	client := writer(t, f)
	for _, topic := range f.Plan.Outputs() {
		produce(t, client, topic)
	}
}

// transactionToLose leaves a transaction open in the first partition of the first output.
func transactionToLose(t testing.TB, f *harness.Field) {
	l := f.Plan.Pipelines[0]
	client := writer(t, f, kgo.TransactionalID(l.TransactionalIDs[0]))
	require.NoError(t, client.BeginTransaction())
	produce(t, client, l.Output)
}

// offsetsToLose commits an offset of the first pipeline's group, which has no members.
func offsetsToLose(t testing.TB, f *harness.Field) {
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group, req.Generation = f.Plan.Pipelines[0].Group, -1
	topic, part := kmsg.NewOffsetCommitRequestTopic(), kmsg.NewOffsetCommitRequestTopicPartition()
	topic.Topic, part.Offset = f.Plan.Input, 42
	topic.Partitions = append(topic.Partitions, part)
	req.Topics = append(req.Topics, topic)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.NoError(t, wait.Poll(ctx, 100*time.Millisecond, func() (bool, error) { // a new coordinator loads first
		resp, _, err := ask.Coordinated[*kmsg.OffsetCommitResponse](ctx, f.Brokers(), req.Group, ask.Pin(req, lastWithNames))
		return err == nil && resp.Topics[0].Partitions[0].ErrorCode == 0, nil
	}), "no offset was committed")
}

// lastWithNames is the last version of OffsetCommit that names topics.
const lastWithNames = 9

// aStore makes the external service's store, in a run's folder, where there is none.
func aStore(t testing.TB, f *harness.Field) {
	if f.Dir != "" {
		return
	}
	f.Dir = t.TempDir()
	store, err := effects.Create(effects.Path(f.Dir))
	require.NoError(t, err)
	require.NoError(t, store.Close())
}
