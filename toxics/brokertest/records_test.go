package brokertest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
)

func TestWhatNoHealUndoes(t *testing.T) {
	s := newStage(t)
	s.Observer = unseen{} // a fault takes effect only where records are in flight
	topic := s.Plan.Pipelines[0].Output
	i := s.inject(t, "delete-records", "partition output/0", map[string]any{"keep": uint64(5)})
	s.heal(t, i)
	proof := onlyProof(t, i)
	assert.True(t, proof.TookEffect, proof.Text)
	require.Len(t, lastingOf(i), 1)
	moved := lastingOf(i)[0]
	assert.Equal(t, harness.LogStartMoved, moved.What)
	assert.Equal(t, moved.To, s.offset(t, 0, -2), "the log starts there")
	assert.Positive(t, moved.To)
	assert.Zero(t, s.offset(t, 1, -2), "other partitions are left alone")
	assert.True(t, s.progresses(t, 0, 10*time.Second))

	i = s.inject(t, "add-partitions", "topic output", map[string]any{"by": uint64(2)})
	assert.Len(t, s.leaders(t), partitions+2)
	assert.Equal(t, []harness.Lasting{{What: harness.PartitionsAdded, Topic: topic, From: partitions, To: partitions + 2}}, lastingOf(i))
	assert.Equal(t, "partitions of output: 3 -> 5", onlyProof(t, i).Text)
	undo(t, i)

	s.abortsByHand(t)
}

// abortsByHand leaves a transaction open, and aborts it past its coordinator: its record is never seen.
func (s *stage) abortsByHand(t *testing.T) {
	t.Helper()
	topic := s.Plan.Pipelines[0].Output
	client, err := harness.DirectClient(s.cluster, "transacting", kgo.TransactionalID(s.Plan.Pipelines[0].TransactionalIDs[0]),
		kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.TransactionTimeout(20*time.Second))
	require.NoError(t, err)
	t.Cleanup(client.Close)
	require.NoError(t, client.BeginTransaction())
	require.NoError(t, client.ProduceSync(t.Context(), &kgo.Record{Topic: topic, Partition: 2, Value: []byte("open")}).FirstErr())
	_, err = s.try(t, "transaction-abort", "partition output/2", map[string]any{"older": "1h", "within": "200ms"})
	require.ErrorContains(t, err, "no such transaction is open")
	i := s.inject(t, "transaction-abort", "partition output/2", nil)
	s2 := lastingOf(i)
	require.Len(t, s2, 1)
	assert.Equal(t, harness.TransactionAborted, s2[0].What)
	assert.Regexp(t, `^transaction of producer \d+ from offset \d+ of output/2 aborted$`, onlyProof(t, i).Text)
	_, err = s.try(t, "transaction-abort", "partition output/2", map[string]any{"within": "200ms"})
	require.ErrorContains(t, err, "no such transaction is open", "it is no longer")
	t.Log("the coordinator's own end of it:", client.EndTransaction(t.Context(), kgo.TryCommit))
	undo(t, i)
}
