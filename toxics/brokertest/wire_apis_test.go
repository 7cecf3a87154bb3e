package brokertest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/wait"
)

// apis are the requests that faults are meant for, where each is found, and what else an answer to one may say.
var apis = []struct{ name, links, codes string }{
	{"AddPartitionsToTxn", "client", ""},
	{"BrokerHeartbeat", "quorum", ""},
	{"ConsumerGroupHeartbeat", "client", ""},
	{"EndTxn", "client", ""},
	{"Fetch", "client", ""},
	{"Heartbeat", "client", "|REBALANCE_IN_PROGRESS"},
	{"InitProducerId", "client", ""},
	{"JoinGroup", "client", "|MEMBER_ID_REQUIRED"},
	{"OffsetCommit", "client", ""},
	{"Produce", "client", ""},
	{"SyncGroup", "client", ""},
	{"TxnOffsetCommit", "client", ""},
	{"WriteTxnMarkers", "replication", ""},
}

// TestEveryAPI delays one request or answer of every kind, all faults at once on the same links, and heals them in any
// order.
func TestEveryAPI(t *testing.T) {
	s := newStage(t)
	f := s.Fleet.(fleet)
	prefix := fmt.Sprintf("apis-%d", stages.Load())
	f.names = append(f.names, prefix+"-txn", prefix+"-group")
	s.Fleet, s.Observer = f, unseen{}
	in, out := s.own(t), s.own(t)
	for _, name := range []string{prefix + "-txn", prefix + "-group"} { // links that are made later have no rules
		_, err := s.cluster.ClientLinks(t.Context(), name)
		require.NoError(t, err)
	}

	injections := map[string]harness.Injection{}
	for n, api := range apis {
		kind := []string{"request-delay", "response-delay"}[n%2]
		injections[api.name] = s.inject(t, kind, "all brokers", map[string]any{
			"apis": api.name, "links": api.links, "times": 1, "delay": "50ms",
		})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
	defer cancel()
	var working sync.WaitGroup
	working.Go(func() { consumeProcessProduce(ctx, t, s, prefix+"-txn", in, out) })
	working.Go(func() { consumeAndCommit(ctx, t, s, prefix+"-group", in) })
	client := s.client(t, prefix+"-source")
	var missing []string
	err := wait.Poll(ctx, 50*time.Millisecond, func() (bool, error) {
		for p := range int32(partitions) {
			client.Produce(ctx, &kgo.Record{Topic: in, Partition: p, Value: []byte("v")}, nil)
		}
		missing = notMatched(t, s)
		return len(missing) == 0, nil
	})
	require.NoError(t, err, "never seen: %v", missing)
	cancel()
	working.Wait()

	names := []string{}
	for name := range injections {
		names = append(names, name)
	}
	rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, name := range names {
		undo(t, injections[name])
	}
	for n, api := range apis {
		proof := onlyProof(t, injections[api.name])
		t.Log(proof.Text)
		assert.True(t, proof.TookEffect, proof.Text)
		side := []string{"request", "response"}[n%2]
		assert.Regexp(t, fmt.Sprintf(`(?i)^\d %s %ss? delayed up to \d\.\ds on .*; answers: (NONE%s) ×`, api.name, side, api.codes), proof.Text)
	}
	s.awaitInSync(t)
	s.passes(t)
}

// consumeProcessProduce works transactionally, with a client old enough to name its partitions itself.
func consumeProcessProduce(ctx context.Context, t *testing.T, s *stage, name, in, out string) {
	dials, err := s.cluster.ClientLinks(t.Context(), name)
	assert.NoError(t, err)
	session, err := kgo.NewGroupTransactSession(
		kgo.SeedBrokers(s.cluster.Info().Bootstrap...), harness.Via(dials), kgo.AlwaysRetryEOF(), kgo.ClientID(name),
		kgo.TransactionalID(name), kgo.ConsumerGroup(name), kgo.ConsumeTopics(in), kgo.MaxVersions(kversion.V3_7_0()),
		kgo.HeartbeatInterval(100*time.Millisecond), kgo.FetchMaxWait(100*time.Millisecond), kgo.DefaultProduceTopic(out),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
	)
	if !assert.NoError(t, err) {
		return
	}
	defer session.Close()
	for ctx.Err() == nil {
		fetches := session.PollFetches(ctx)
		if fetches.NumRecords() == 0 {
			continue
		}
		if !assert.NoError(t, session.Begin()) {
			return
		}
		// To all partitions: a transaction whose leaders and coordinators are one broker sends no markers to others.
		fetches.EachRecord(func(r *kgo.Record) { session.Produce(ctx, &kgo.Record{Partition: r.Partition, Value: r.Value}, nil) })
		if _, err := session.End(ctx, kgo.TryCommit); ctx.Err() == nil && !assert.NoError(t, err) {
			return
		}
	}
}

// consumeAndCommit works in a group of the new protocol, whose coordinator deals the partitions out.
func consumeAndCommit(ctx context.Context, t *testing.T, s *stage, name, in string) {
	client := s.client(t, name, kgo.ConsumerGroup(name), kgo.ConsumeTopics(in), kgo.DisableAutoCommit(), kgo.ServerSideBalancer(),
		kgo.Balancers(kgo.StickyBalancer()), kgo.FetchMaxWait(100*time.Millisecond))
	for ctx.Err() == nil {
		if client.PollFetches(ctx).NumRecords() > 0 {
			_ = client.CommitUncommittedOffsets(ctx) // the next one will do
		}
	}
}

// TestCuts breaks the connection at each moment of an exchange: an idempotent producer gets over all of them.
func TestCuts(t *testing.T) {
	s, client := newWireStage(t)
	topic := s.own(t)
	moments := []string{"before request", "after request", "before response", "after response"}
	for _, moment := range moments {
		i := s.inject(t, "connection-cut", member, map[string]any{"moment": moment, "topic": topic})
		require.NoError(t, client.ProduceSync(within(t, 20*time.Second), &kgo.Record{Topic: topic, Value: []byte(moment)}).FirstErr())
		undo(t, i)
		proof := onlyProof(t, i)
		t.Log(moment, "|", proof.Text)
		assert.True(t, proof.TookEffect, proof.Text)
	}
	assert.Equal(t, moments, s.readBack(t, topic, kgo.ReadUncommitted(), len(moments)))
	s.passes(t)
}

// TestOnlyThePickedClientWaits drops one client's requests to a broker that others use at the same time.
func TestOnlyThePickedClientWaits(t *testing.T) {
	s, client := newWireStage(t)
	topic := s.own(t)
	warm := client.ProduceSync(within(t, 20*time.Second), &kgo.Record{Topic: topic, Value: []byte("warm")})
	require.NoError(t, warm.FirstErr())
	i := s.inject(t, "request-hold", "leader of output/0", map[string]any{"client": s.name(), "times": 0})
	acked := make(chan error, 1)
	go func() {
		acked <- client.ProduceSync(t.Context(), &kgo.Record{Topic: topic, Value: []byte("held")}).FirstErr()
	}()
	s.awaitWaiting(t)
	for p := range s.producers {
		assert.True(t, s.progresses(t, p, 5*time.Second), "producer %d", p)
	}
	assert.Empty(t, acked)
	s.heal(t, i)
	require.NoError(t, <-acked)
	proof := onlyProof(t, i)
	t.Log(proof.Text)
	assert.True(t, proof.TookEffect, proof.Text)
	s.passes(t)
}

// TestALostRequestAndAHeldAnswer: the first is sent again and stored once; the second is stored long before its client
// learns it.
func TestALostRequestAndAHeldAnswer(t *testing.T) {
	s, client := newWireStage(t, kgo.ProduceRequestTimeout(time.Second))
	topic := s.own(t)
	drop := s.inject(t, "request-drop", member, map[string]any{"topic": topic})
	begin := time.Now()
	require.NoError(t, client.ProduceSync(within(t, 20*time.Second), &kgo.Record{Topic: topic, Value: []byte("lost")}).FirstErr())
	assert.Greater(t, time.Since(begin), time.Second, "the client waited for an answer in vain")
	undo(t, drop)
	hold := s.inject(t, "response-hold", member, map[string]any{"topic": topic})
	acked := make(chan error, 1)
	go func() {
		acked <- client.ProduceSync(t.Context(), &kgo.Record{Topic: topic, Value: []byte("held")}).FirstErr()
	}()
	s.awaitWaiting(t)
	assert.Equal(t, []string{"lost", "held"}, s.readBack(t, topic, kgo.ReadUncommitted(), 2), "both are stored, each once")
	assert.True(t, s.progresses(t, 0, 5*time.Second), "the other clients of that broker")
	assert.Empty(t, acked)
	s.heal(t, hold)
	require.NoError(t, <-acked)
	assert.Regexp(t, `^1 Produce request dropped on wire-\d+-1-client$`, onlyProof(t, drop).Text)
	assert.Regexp(t, `^1 Produce response held up to \d\.\ds on wire-\d+-1-client; answers: NONE ×1$`, onlyProof(t, hold).Text)
	s.passes(t)
}
