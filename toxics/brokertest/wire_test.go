package brokertest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/chaeos/chaeos/harness"
)

// TestLostAcks drops four answers to Produce: without idempotence each makes its whole batch twice, with it none.
func TestLostAcks(t *testing.T) {
	const batches, batch, dropped = 40, 5, 4
	for _, c := range []struct {
		name       string
		opts       []kgo.Opt
		duplicates int
	}{
		{"idempotence off", []kgo.Opt{kgo.DisableIdempotentWrite()}, dropped * batch},
		{"idempotence on", nil, 0},
	} {
		s, client := newWireStage(t, append(c.opts, kgo.ProducerLinger(5*time.Millisecond))...)
		topic := s.own(t)
		i := s.inject(t, "response-drop", member, map[string]any{"skip": 5, "times": dropped})
		for b := range batches {
			var records []*kgo.Record
			for r := range batch {
				records = append(records, &kgo.Record{Topic: topic, Value: fmt.Appendf(nil, "%05d", b*batch+r)})
			}
			require.NoError(t, client.ProduceSync(within(t, 20*time.Second), records...).FirstErr())
		}
		s.heal(t, i)
		proof := onlyProof(t, i)
		t.Log(c.name, "|", proof.Text)
		assert.True(t, proof.TookEffect, proof.Text)
		assert.Regexp(t, `^4 Produce responses cut off on wire-\d+-1-client; answers: NONE ×4$`, proof.Text)
		values := s.readBack(t, topic, kgo.ReadUncommitted(), batches*batch+c.duplicates)
		breaks := 0
		for n := 1; n < len(values); n++ {
			if values[n] < values[n-1] {
				breaks++
			}
		}
		unique := len(slices.Compact(slices.Sorted(slices.Values(values))))
		t.Logf("%s: %d records, %d duplicates, order broken %d times", c.name, unique, len(values)-unique, breaks)
		assert.Equal(t, batches*batch, unique)
		assert.Equal(t, c.duplicates, len(values)-unique)
		assert.True(t, s.progresses(t, 0, 5*time.Second), "the other clients")
		s.passes(t)
	}
}

// transaction writes one record to each of the partitions and ends the transaction.
func transaction(ctx context.Context, client *kgo.Client, topic, value string, try kgo.TransactionEndTry, partitions ...int32) error {
	if err := client.BeginTransaction(); err != nil {
		return err
	}
	for _, p := range partitions {
		if err := client.ProduceSync(ctx, &kgo.Record{Topic: topic, Partition: p, Value: []byte(value)}).FirstErr(); err != nil {
			return err
		}
	}
	return client.EndTransaction(ctx, try)
}

// TestTheThirdEndTxnsAnswerIsMissing is the trigger's exactness on real brokers.
func TestTheThirdEndTxnsAnswerIsMissing(t *testing.T) {
	s, client := newWireStage(t, kgo.TransactionalID(fmt.Sprintf("third-%d", stages.Load())))
	topic := s.own(t)
	i := s.inject(t, "response-drop", "all brokers", map[string]any{"apis": "EndTxn", "skip": 2})
	for n := range 5 {
		require.NoError(t, transaction(within(t, 20*time.Second), client, topic, fmt.Sprint(n), kgo.TryCommit, 0))
	}
	s.heal(t, i)
	proof := onlyProof(t, i)
	t.Log(proof.Text)
	assert.Regexp(t, `^1 EndTxn response cut off on wire-\d+-\d-client; answers: NONE ×1$`, proof.Text)
	assert.Equal(t, []string{"0", "1", "2", "3", "4"}, s.readBack(t, topic, kgo.ReadCommitted(), 5))
	s.passes(t)
}

// lateEnd holds the first request to end a transaction until its retry has passed and the next transaction has begun and
// written. It returns what became of the held request, and the next transaction's error.
func lateEnd(t *testing.T, s *stage, client *kgo.Client, topic string, first kgo.TransactionEndTry) (proof harness.Proof, next error) {
	t.Helper()
	ctx := within(t, 40*time.Second)
	// Once before, so that its coordinator and producer id are there.
	require.NoError(t, transaction(ctx, client, topic, "before", kgo.TryCommit, 0))
	i := s.inject(t, "request-hold", member, map[string]any{"apis": "EndTxn"})
	require.NoError(t, transaction(ctx, client, topic, "A", first, 0), "the retry passes")
	held := s.awaitWaiting(t)
	require.NoError(t, client.BeginTransaction())
	for _, value := range []string{"B0", "B1"} {
		require.NoError(t, client.ProduceSync(ctx, &kgo.Record{Topic: topic, Partition: 0, Value: []byte(value)}).FirstErr())
	}
	s.heal(t, i) // releases it, and waits for the answer
	proof = onlyProof(t, i)
	t.Log(held, "|", proof.Text)
	next = client.ProduceSync(ctx, &kgo.Record{Topic: topic, Partition: 1, Value: []byte("B2")}).FirstErr()
	if err := client.EndTransaction(ctx, kgo.TransactionEndTry(next == nil)); next == nil {
		next = err
	}
	s.passes(t)
	return proof, next
}

// TestALateEndTxnIsFenced is the late request under transaction.version 2.
func TestALateEndTxnIsFenced(t *testing.T) {
	s, client := newWireStage(t, kgo.TransactionalID(fmt.Sprintf("late-%d", stages.Load())))
	topic := s.own(t)
	proof, err := lateEnd(t, s, client, topic, kgo.TryCommit)
	require.NoError(t, err)
	assert.Regexp(t, `^1 EndTxn request held up to \d+\.\ds on \S+; 1 delivered after the client was gone; answers: PRODUCER_FENCED ×1$`, proof.Text)
	assert.ElementsMatch(t, []string{"before", "A", "B0", "B1", "B2"}, s.readBack(t, topic, kgo.ReadCommitted(), 5))
}

// TestALateEndTxnOfAnOlderClient is the same with a client that speaks EndTxn as before transaction.version 2: the late
// commit takes a part of the next transaction with it, although that one is aborted.
func TestALateEndTxnOfAnOlderClient(t *testing.T) {
	s, client := newWireStage(t, kgo.TransactionalID(fmt.Sprintf("older-%d", stages.Load())), kgo.MaxVersions(kversion.V3_7_0()))
	topic := s.own(t)
	proof, err := lateEnd(t, s, client, topic, kgo.TryAbort)
	seen := s.readBack(t, topic, kgo.ReadCommitted(), 2)
	t.Log("the next transaction ended with", err, "| seen:", seen)
	assert.Regexp(t, `; 1 delivered after the client was gone; answers: NONE ×1$`, proof.Text, "the broker takes it for the next transaction's")
	assert.NotContains(t, seen, "B0", "the late abort took it")
	assert.Contains(t, seen, "B2", "torn: the rest of the same transaction was committed")
}
