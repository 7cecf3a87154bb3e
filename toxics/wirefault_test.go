package toxics

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	toxiclient "github.com/Shopify/toxiproxy/v2/client"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/toxics/admin"
	"github.com/chaeos/chaeos/toxics/kafkatoxic"
)

// kafkaClient is a client of the fake brokers over links of its own, that belong to the named member.
func (s *stage) kafkaClient(t *testing.T, member string, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	dials, seeds := harness.Dials{}, s.kafka.ListenAddrs()
	for n, addr := range seeds {
		link := harness.Link{Kind: harness.ClientLink, From: member, To: n + 1, Proxy: fmt.Sprintf("kafka-%s-%d", member, n+1)}
		proxy, err := toxiclient.NewClient(s.cluster.api).CreateProxy(link.Proxy, "127.0.0.1:0", addr)
		require.NoError(t, err)
		require.NoError(t, kafkatoxic.Prepare(proxy))
		link.Listen, dials[addr] = proxy.Listen, proxy.Listen
		s.cluster.links, s.cluster.bytes[link.Proxy] = append(s.cluster.links, link), &linkCounter{}
	}
	client, err := kgo.NewClient(append([]kgo.Opt{
		kgo.SeedBrokers(seeds...), harness.Via(dials), kgo.AlwaysRetryEOF(), kgo.MetadataMinAge(10 * time.Millisecond),
		kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(0), kgo.RetryTimeout(20 * time.Second),
	}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return client
}

func transact(t *testing.T, c *kgo.Client, topic string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.NoError(t, c.BeginTransaction())
	require.NoError(t, c.ProduceSync(ctx, &kgo.Record{Topic: topic, Value: []byte("v")}).FirstErr())
	return c.EndTransaction(ctx, kgo.TryCommit)
}

// TestTheThirdEndTxnsResponseIsDropped is what "at the 3rd EndTxn" has to mean: exactly one answer is missing.
func TestTheThirdEndTxnsResponseIsDropped(t *testing.T) {
	s := newStage(t)
	client := s.kafkaClient(t, "p-0", kgo.TransactionalID("txn-p-0"))
	i := s.inject(t, "response-drop", "worker 0", map[string]any{
		"apis": "EndTxn", "skip": 2, "transactional-id": "p/0",
	})
	for range 5 {
		require.NoError(t, transact(t, client, "out-p"), "the client asks again")
	}
	require.NoError(t, i.Heal(t.Context()))
	proof := proofOf(t, i, "p")
	assert.True(t, proof.TookEffect, proof.Text)
	assert.Regexp(t, `^1 EndTxn response cut off on kafka-p-0-\d; answers: NONE ×1$`, proof.Text)
	assert.False(t, proofOf(t, i, "q").TookEffect, "q ends no transactions")
	assertForgotten(t, s)
}

func TestHeldRequestsAreReleasedByTheHeal(t *testing.T) {
	s := newStage(t)
	client := s.kafkaClient(t, "q-source")
	other := s.kafkaClient(t, "p-0")
	i := s.inject(t, "request-hold", "all brokers", map[string]any{"apis": []any{"Produce"}, "topic": "q"})
	acked := make(chan error, 1)
	go func() {
		acked <- client.ProduceSync(t.Context(), &kgo.Record{Topic: "out-q", Value: []byte("v")}).FirstErr()
	}()
	require.NoError(t, other.ProduceSync(t.Context(), &kgo.Record{Topic: "out-p", Value: []byte("v")}).FirstErr(),
		"another topic passes")
	awaitWaiting(t, s, 1)
	select {
	case err := <-acked:
		require.Fail(t, "it was not held", "%v", err)
	case <-time.After(100 * time.Millisecond):
	}
	require.NoError(t, i.Heal(t.Context()))
	require.NoError(t, i.Heal(t.Context()))
	require.NoError(t, <-acked)
	proof := proofOf(t, i, "q")
	assert.True(t, proof.TookEffect, proof.Text)
	assert.Regexp(t, `^1 Produce request held up to \d+\.\ds on kafka-q-source-\d; answers: NONE ×1$`, proof.Text)
	assertForgotten(t, s)
}

// awaitWaiting waits until n frames wait on all links together.
func awaitWaiting(t *testing.T, s *stage, n int64) {
	t.Helper()
	await(t, "frames wait", func() bool {
		var waiting int64
		for _, status := range statuses(t, s) {
			for _, r := range status.Rules {
				waiting += r.Waiting
			}
		}
		return waiting == n
	})
}

func statuses(t *testing.T, s *stage) map[string]kafkatoxic.Status {
	t.Helper()
	all, err := kafkatoxic.Statuses(toxiclient.NewClient(s.cluster.api))
	require.NoError(t, err)
	return all
}

// assertForgotten asserts that every link passes everything again and remembers nothing.
func assertForgotten(t *testing.T, s *stage) {
	t.Helper()
	for proxy, status := range statuses(t, s) {
		assert.Equal(t, kafkatoxic.OpPass, status.Op, proxy)
		assert.Empty(t, status.Rules, proxy)
	}
}

func TestWireFaultsAreRefused(t *testing.T) {
	for _, c := range []struct {
		options map[string]any
		target  string
		says    string
	}{
		{map[string]any{"apis": "EndTx"}, "broker 1", `apis: Kafka has no API "EndTx"`},
		{map[string]any{"apis": "EndTxn", "topic": "output"}, "broker 1", "topic: EndTxn carries none"},
		{map[string]any{"apis": "Fetch", "transactional-id": "p"}, "broker 1", "transactional-id: Fetch carries none"},
		{map[string]any{"apis": "Produce", "topic": "outptu"}, "broker 1", `topic: "outptu" is not output`},
		{map[string]any{"apis": "EndTxn", "transactional-id": "q"}, "broker 1", `"q" is not a transactional pipeline`},
		{map[string]any{"apis": "EndTxn", "times": -1}, "broker 1", "times: expected a whole number"},
		{map[string]any{"apis": "EndTxn", "links": "quorum"}, "worker 0", "has client links only"},
		{map[string]any{"apis": []any{}}, "broker 1", "apis: expected at least one"},
	} {
		fault, err := New("request-hold", c.options)
		if err == nil {
			err = Check("request-hold", fault, c.target, testScope)
		}
		assert.ErrorContains(t, err, c.says, "%v", c.options)
	}
}

func TestALinkWithoutTheToxicsIsAnError(t *testing.T) {
	s := newStage(t)
	proxies, err := toxiclient.NewClient(s.cluster.api).Proxies()
	require.NoError(t, err)
	require.NoError(t, proxies["p-0-2-client"].RemoveToxic(kafkatoxic.RequestType))
	i, err := s.try(t.Context(), t, "request-drop", "worker 0", map[string]any{"apis": "Produce"})
	require.ErrorIs(t, err, kafkatoxic.ErrNotPrepared)
	require.NoError(t, i.Heal(t.Context()), "what was armed is disarmed")
	_, err = proxies["p-0-2-client"].AddToxic(kafkatoxic.RequestType, kafkatoxic.RequestType, "upstream", 1, nil)
	require.NoError(t, err)
	for proxy, status := range statuses(t, s) {
		assert.Equal(t, kafkatoxic.OpPass, status.Op, proxy)
	}
}

// TestTopicsThatABrokerHasNotHeardOf: their ids are asked of the others; a topic that no broker knows is an error.
func TestTopicsThatABrokerHasNotHeardOf(t *testing.T) {
	s := newStage(t)
	var asked atomic.Int64
	s.kafka.ControlKey(int16(kmsg.Metadata), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		s.kafka.KeepControl()
		asked.Add(1)
		return kreq.ResponseKind(), nil, s.kafka.CurrentNode() == 1
	})
	i := s.inject(t, "request-hold", "worker 0", map[string]any{"topic": "output"})
	for _, l := range i.Resolved().Links {
		rules := statuses(t, s)[l].Rules
		require.Len(t, rules, 1, l)
		assert.Len(t, rules[0].TopicIDs, 2, "the outputs of p and q")
	}
	require.NoError(t, i.Heal(t.Context()))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	enough := asked.Load() + 2*int64(len(s.cluster.Info().Nodes))
	go func() {
		for asked.Load() < enough {
			runtime.Gosched()
		}
		cancel() // once every broker was asked
	}()
	_, err := admin.TopicIDs(ctx, s.Field, []string{"out-p", "nowhere"})
	require.ErrorContains(t, err, "no broker knows topic nowhere")
}
