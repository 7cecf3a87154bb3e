package brokertest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/toxics"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
	"github.com/chaeos/chaeos/toxics/tried"
)

// elsewhere are the faults that have tests of their own here.
var elsewhere = []string{
	"bandwidth", "broker-kill", "broker-pause", "broker-restart", "broker-stop", "broker-wipe", "delete-records", "latency",
	"leader-move", "leader-storm", "partition", "power-loss", "refuse", "request-hold", "reset", "response-drop", "response-hold",
	"rolling-restart", "service-fail", "slow-close", "source-kill", "topic-config", "unclean-election", "worker-kill",
	"worker-pause", "worker-scale", "worker-stop",
}

// aim is how a fault is injected next to a bystander: what is not set is as in package tried.
type aim struct {
	target  string
	options map[string]any
	// before makes what the fault is to hit, and what it must not, and returns what to assert of that after the heal.
	before func(*testing.T, *stage, *bystander) func(*testing.T)
	// proof is a pattern of what the fault must quote.
	proof string
	// last means that it moves leaders from where other faults expect them.
	last bool
}

// aimed are the faults of which more is known than that they take effect: what must be hit, what must not, and the proof.
var aimed = map[string]aim{
	"add-partitions":     {proof: "partitions of output: 3 -> 4"},
	"broker-config":      {options: map[string]any{"set": map[string]any{"num.replica.fetchers": uint64(2)}}, proof: "changed broker 2"},
	"connection-cut":     {target: "leader of output/0", options: map[string]any{"topic": "output", "times": 2}, proof: "cut .*on faults-"},
	"group-delete":       {options: map[string]any{}, before: offsetsToLose, proof: "committed offsets gone: input/0 42"},
	"offsets-delete":     {before: offsetsToLose, proof: "committed offsets gone: input/0 42"},
	"preferred-election": {before: othersPreferred, proof: "leader of output/0: 1 -> 3", last: true},
	"request-delay":      {target: "leader of output/0", options: everyRequest, proof: `delayed up to \d\.\ds on faults-`},
	"request-drop":       {options: map[string]any{"topic": "output", "times": 0}, proof: "Produce requests? dropped on faults-"},
	"response-delay":     {target: "leader of output/0", options: everyRequest, proof: `delayed up to \d\.\ds on faults-`},
	"transaction-abort":  {before: transactionToLose, proof: "of output/0 aborted"},
}

var everyRequest = map[string]any{"topic": "output", "times": 0, "delay": "1s"}

// aimAt fills in what is not given.
func aimAt(kind kit.Kind) aim {
	a, usual := aimed[kind.Name], tried.Of(kind)
	if a.target == "" {
		a.target = usual.Target
	}
	if a.options == nil {
		a.options = usual.Options
	}
	if a.before == nil {
		a.before = func(t *testing.T, s *stage, _ *bystander) func(*testing.T) {
			if usual.Before != nil {
				usual.Before(t, s.Field)
			}
			return func(*testing.T) {}
		}
	}
	return a
}

// TestFaultsLeaveOthersAlone: every fault that has no test of its own takes effect; users of another topic, group, transactional
// id, client, broker or worker go on as before, while the fault is active and after its heal, which leaves nothing on any link.
func TestFaultsLeaveOthersAlone(t *testing.T) {
	left := map[target.Class][]kit.Kind{}
	for _, kind := range toxics.All() {
		if !slices.Contains(elsewhere, kind.Name) {
			left[stageClass(kind.Hits)] = append(left[stageClass(kind.Hits)], kind)
		}
	}
	for class, kinds := range left {
		slices.SortStableFunc(kinds, func(x, y kit.Kind) int { return ifLast(x) - ifLast(y) })
		s, b := withBystander(t, class)
		for _, kind := range kinds {
			t.Run(kind.Name, func(t *testing.T) { s.leavesAlone(t, b, kind.Name, aimAt(kind)) })
		}
		b.ends(t)
	}
}

func ifLast(kind kit.Kind) int {
	if aimed[kind.Name].last {
		return 1
	}
	return 0
}

// stageClass is what a fault needs to be tried on: workers, members of other sorts, or brokers and clients only.
func stageClass(hits target.Class) target.Class {
	switch hits {
	case target.Workers:
		return target.Workers
	case target.Sources, target.Service:
		return target.Sources
	}
	return target.Brokers
}

// withBystander makes a stage, and a bystander that uses brokers 1 and 3 only: some of it is on the very broker, link group or
// partition number that faults hit. Faults on members' processes hit no broker, so there it uses all of them.
func withBystander(t *testing.T, class target.Class) (*stage, *bystander) {
	t.Helper()
	switch class {
	case target.Workers:
		s := newWorkers(t)
		b := s.bystander(t, 1, 2, 3)
		b.withOthers(t, 0)
		return s, b
	case target.Sources:
		s := newWorkers(t, "idempotent-producer", "notify-then-commit")
		return s, s.bystander(t, 1, 2, 3)
	}
	s := newStage(t)
	s.Observer = unseen{} // a fault takes effect only where records are in flight
	return s, s.bystander(t, 1, 3)
}

// leavesAlone injects one fault and heals it.
func (s *stage) leavesAlone(t *testing.T, b *bystander, fault string, a aim) {
	t.Helper()
	after := a.before(t, s, b)
	b.look(t)
	i := s.inject(t, fault, a.target, a.options)
	b.leftAlone(t, "while it is active")
	s.heal(t, i)
	var proofs []string
	for _, proof := range i.Proofs(t.Context()) {
		if proof.TookEffect {
			proofs = append(proofs, proof.Text)
		}
	}
	require.NotEmpty(t, proofs, "it took no effect")
	assert.Regexp(t, a.proof, proofs[0])
	s.passes(t)
	b.leftAlone(t, "after its heal")
	after(t)
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

// othersPreferred makes another replica the preferred leader of both topics' first partitions, and elects none.
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
		md, err := ask.Of(s.Admin, b.brokers...).Metadata(t.Context(), b.topic)
		return err == nil && md.Topics[b.topic][0].Replicas[0] == 3
	}, heardWithin, 20*time.Millisecond)
	return func(*testing.T) {}
}
