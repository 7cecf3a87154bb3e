package brokertest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
)

// aimed are faults that hit the stage's own topic, group, transaction or clients, or broker 2, where a bystander uses
// brokers 1 and 3: some of it is on the very broker, link group or partition number that is hit. Those that take longer
// have a bystander in tests of their own.
var aimed = []struct {
	fault, target string
	options       map[string]any
	// before makes what the fault is to hit, and what it must not, and returns what to assert of that after the heal.
	before func(*testing.T, *stage, *bystander) func(*testing.T)
	proof  string
}{
	{"broker-config", "broker 2", map[string]any{"set": map[string]any{"num.replica.fetchers": uint64(2)}}, nil, "changed broker 2"},
	{"add-partitions", "topic output", nil, nil, "partitions of output: 3 -> 4"},
	{"offsets-delete", "group", nil, offsetsToLose, "committed offsets gone: input/0 42"},
	{"group-delete", "group", nil, offsetsToLose, "committed offsets gone: input/0 42"},
	{"transaction-abort", "partition output/0", nil, transactionToLose, "of output/0 aborted"},
	{"request-drop", "worker 0", map[string]any{"topic": "output", "times": 0}, nil, "Produce requests? dropped on faults-"},
	{"request-delay", "leader of output/0", map[string]any{"topic": "output", "times": 0, "delay": "1s"}, nil, `delayed up to \d\.\ds on faults-`},
	{"response-delay", "leader of output/0", map[string]any{"topic": "output", "times": 0, "delay": "1s"}, nil, `delayed up to \d\.\ds on faults-`},
	{"connection-cut", "leader of output/0", map[string]any{"topic": "output", "times": 2}, nil, "cut .*on faults-"},
	{"preferred-election", "topic output", nil, othersPreferred, "leader of output/0: 1 -> 3"},
}

// TestFaultsLeaveOthersAlone: whoever uses another topic, group, transactional id, client or broker goes on as before,
// while a fault is active and after its heal, which leaves nothing on any link.
func TestFaultsLeaveOthersAlone(t *testing.T) {
	s := newStage(t)
	s.Observer = unseen{} // a fault bites only where records are in flight
	b := s.bystander(t, 1, 3)
	for _, c := range aimed {
		t.Run(c.fault, func(t *testing.T) {
			after := func(*testing.T) {}
			if c.before != nil {
				after = c.before(t, s, b)
			}
			b.look(t)
			i := s.inject(t, c.fault, c.target, c.options)
			b.leftAlone(t, "while it is active")
			s.heal(t, i)
			bite := onlyBite(t, i)
			assert.True(t, bite.Bit, bite.Proof)
			assert.Regexp(t, c.proof, bite.Proof)
			s.passes(t)
			b.leftAlone(t, "after its heal")
			after(t)
		})
	}
	b.ends(t)
}

func offsetsToLose(t *testing.T, s *stage, _ *bystander) func(*testing.T) {
	s.commit(t, s.Plan.Pipelines[0].Group, 42)
	return func(*testing.T) {}
}

// transactionToLose leaves a transaction open in the partition that the fault looks at, and one in the next.
func transactionToLose(t *testing.T, s *stage, b *bystander) func(*testing.T) {
	output := s.Plan.Pipelines[0].Output
	for p := range int32(2) {
		name := fmt.Sprintf("%s-open-%d", b.name, p)
		client := s.client(t, name, kgo.TransactionalID(name))
		require.NoError(t, client.BeginTransaction())
		record := &kgo.Record{Topic: output, Partition: p, Value: []byte("open")}
		require.NoError(t, client.ProduceSync(within(t, 20*time.Second), record).FirstErr())
	}
	next := s.open(t, output, 1, 2)
	require.NotEmpty(t, next)
	return func(t *testing.T) {
		assert.Empty(t, s.open(t, output, 0, 1))
		assert.Equal(t, next, s.open(t, output, 1, 2), "the transaction in another partition was touched")
	}
}

// othersPreferred makes another replica the preferred leader of both topics' first partitions, and elects nobody.
func othersPreferred(t *testing.T, s *stage, b *bystander) func(*testing.T) {
	req := kmsg.NewPtrAlterPartitionAssignmentsRequest()
	req.TimeoutMillis = 15_000
	for topic, replicas := range map[string][]int32{s.Plan.Pipelines[0].Output: {3, 2, 1}, b.topic: {3, 1}} {
		part := kmsg.NewAlterPartitionAssignmentsRequestTopicPartition()
		part.Replicas = replicas
		r := kmsg.NewAlterPartitionAssignmentsRequestTopic()
		r.Topic, r.Partitions = topic, append(r.Partitions, part)
		req.Topics = append(req.Topics, r)
	}
	resp, err := req.RequestWith(t.Context(), s.Admin)
	require.NoError(t, err)
	for _, topic := range resp.Topics {
		require.Zero(t, topic.Partitions[0].ErrorCode, topic.Topic)
	}
	assert.Eventually(t, func() bool { // heard of by the broker that the bystander asks
		md, err := harness.AskMetadata(t.Context(), s.Admin, b.brokers, b.topic)
		return err == nil && md.Topics[b.topic][0].Replicas[0] == 3
	}, heardWithin, 20*time.Millisecond)
	return func(*testing.T) {}
}
