package toxics

import (
	"context"
	"io"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/effects"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/toxics/admin"
	"github.com/chaeos/chaeos/toxics/inject"
)

// cancelled is how each fault is injected to be cancelled. What it needs first is done anew for each time.
var cancelled = map[string]struct {
	target  string
	options map[string]any
	before  func(*testing.T, *stage)
	// never says that it waits for what the fakes can't do: it is cancelled while it waits.
	never bool
}{
	"add-partitions":     {target: "topic output", before: onlyTheControllerAddsPartitions},
	"bandwidth":          {target: "worker 0"},
	"broker-config":      {target: "broker 1", options: map[string]any{"set": map[string]any{"log.retention.ms": "60000"}}},
	"broker-kill":        {target: "all brokers"},
	"broker-pause":       {target: "all brokers"},
	"broker-restart":     {target: "all brokers"},
	"broker-stop":        {target: "all brokers"},
	"broker-wipe":        {target: "all brokers"},
	"connection-cut":     {target: "worker 0"},
	"delete-records":     {target: "partition output/0", before: aRecord},
	"group-delete":       {target: "group", options: map[string]any{"within": "1s"}, before: anEmptyGroup, never: true},
	"latency":            {target: "worker 0"},
	"leader-move":        {target: "partition output/0"},
	"leader-storm":       {target: "partition output/0", options: map[string]any{"interval": "100ms"}},
	"offsets-delete":     {target: "group", before: anEmptyGroup},
	"partition":          {target: "broker 1", options: map[string]any{"links": "quorum"}},
	"power-loss":         {target: "all brokers", options: map[string]any{"mode": "checkpoint"}},
	"preferred-election": {target: "topic output"},
	"refuse":             {target: "worker 0"},
	"request-delay":      {target: "worker 0"},
	"request-drop":       {target: "worker 0"},
	"request-hold":       {target: "worker 0", options: map[string]any{"topic": "output"}},
	"reset":              {target: "worker 0"},
	"response-delay":     {target: "worker 0"},
	"response-drop":      {target: "worker 0"},
	"response-hold":      {target: "worker 0"},
	"rolling-restart":    {target: "all brokers", options: map[string]any{"pace": "none"}},
	"service-fail":       {target: "external service", options: map[string]any{"how": "die"}, before: aStore},
	"slow-close":         {target: "worker 0"},
	"source-kill":        {target: "source of q", options: map[string]any{"phase": "flushed"}},
	"topic-config":       {target: "topic output"},
	"transaction-abort":  {target: "partition output/0", before: anOpenTransaction},
	"unclean-election":   {target: "partition output/0", options: map[string]any{"within": "1s"}, never: true},
	"worker-kill":        {target: "worker 0", options: map[string]any{"phase": "flushed"}},
	"worker-pause":       {target: "worker 0"},
	"worker-scale":       {target: "worker 0", options: map[string]any{"by": 2}},
	"worker-stop":        {target: "worker 0"},
}

// TestCancelledAtEveryStep: a run that is cancelled while a fault takes its first step, its second, and so on up to its
// last, and once it is active, heals it under the cancelled context. Nothing is left, wherever it was cancelled.
func TestCancelledAtEveryStep(t *testing.T) {
	require.ElementsMatch(t, Names(), slices.Collect(maps.Keys(cancelled)), "every fault is cancelled")
	for _, kind := range All() {
		t.Run(kind.Name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.electsByOrder(t)
			s.fleet.members["service"] = &harness.Member{Name: "service", Role: "service", State: harness.MemberRunning}
			how := cancelled[kind.Name]
			fault, err := New(kind.Name, how.options)
			require.NoError(t, err)
			const steps = 60
			for step := 1; step < steps; step++ {
				if how.before != nil {
					how.before(t, s)
				}
				through, err := s.cancelledAt(t, fault, how.target, step)
				s.whole(t)
				if through || how.never && step > 8 {
					t.Logf("cancelled at up to %d steps", step)
					assert.True(t, err == nil || how.never, "%v", err)
					return
				}
			}
			require.Fail(t, "more steps than are tried")
		})
	}
}

// cancelledAt injects a fault whose run is cancelled at a step, or once it is active, and heals it. It says whether the
// injection was through before that step.
func (s *stage) cancelledAt(t *testing.T, fault harness.Fault, selector string, step int) (bool, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.steps.cancelAt(step, cancel)
	i, err := fault.Inject(ctx, s.Field, selector)
	through := !s.steps.reached()
	cancel()
	if i == nil {
		require.Error(t, err)
		return through, err
	}
	require.NoError(t, i.Heal(ctx), "step %d", step)
	require.NoError(t, i.Heal(ctx), "a second heal has nothing to do")
	_, broken := i.(*inject.Injection).CheckHeal(t.Context())
	require.NoError(t, broken, "step %d", step)
	i.Bites(t.Context()) // has the toxics forget the rules
	return through, err
}

// electsByOrder makes elections of the fake brokers choose the first of the replicas, as they were last ordered.
func (s *stage) electsByOrder(t *testing.T) {
	t.Helper()
	orders := map[admin.TopicPartition][]int32{}
	s.kafka.ControlKey(int16(kmsg.AlterPartitionAssignments), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		for _, topic := range kreq.(*kmsg.AlterPartitionAssignmentsRequest).Topics {
			for _, p := range topic.Partitions {
				orders[admin.TopicPartition{Topic: topic.Topic, Partition: p.Partition}] = p.Replicas
			}
		}
		return nil, nil, false
	})
	moves := make(chan func(), 1000) // the brokers can't be changed while they handle a request
	var moving sync.WaitGroup
	moving.Go(func() {
		for move := range moves {
			move()
		}
	})
	t.Cleanup(func() { close(moves); moving.Wait() })
	s.kafka.ControlKey(int16(kmsg.ElectLeaders), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		s.kafka.KeepControl()
		resp := kreq.ResponseKind().(*kmsg.ElectLeadersResponse)
		for _, topic := range kreq.(*kmsg.ElectLeadersRequest).Topics {
			for _, p := range topic.Partitions {
				if order := orders[admin.TopicPartition{Topic: topic.Topic, Partition: p}]; len(order) > 0 {
					moves <- func() { _ = s.kafka.MoveTopicPartition(topic.Topic, p, order[0]) }
				}
			}
		}
		return resp, nil, true
	})
}

// ledAsAtFirst waits until every output is led as it was made.
func (s *stage) ledAsAtFirst(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	require.NoError(t, wait.Poll(ctx, 5*time.Millisecond, func() (bool, error) {
		topics, _, err := admin.NewestTopics(ctx, s.Admin, []int{1}, "out-p", "out-q")
		for _, partitions := range topics {
			for p := range int32(3) {
				if partitions[p].Leader != int(p)+1 {
					return false, nil
				}
			}
		}
		return err == nil, nil
	}), "leaders are not back")
}

// onlyTheControllerAddsPartitions: the fake brokers don't forward; a fault asks the next one where one hangs up.
func onlyTheControllerAddsPartitions(_ *testing.T, s *stage) {
	s.kafka.ControlKey(int16(kmsg.CreatePartitions), func(kmsg.Request) (kmsg.Response, error, bool) {
		if s.kafka.CurrentNode() == fakeController {
			return nil, nil, false
		}
		return nil, io.EOF, true
	})
}

// fakeController is the node that leads the fake brokers.
const fakeController = 2

// aStore is the external service's, of a run's folder.
func aStore(t *testing.T, s *stage) {
	t.Helper()
	if s.Dir == "" {
		s.Dir = t.TempDir()
		store, err := effects.Create(effects.Path(s.Dir))
		require.NoError(t, err)
		require.NoError(t, store.Close())
	}
}

func aRecord(t *testing.T, s *stage) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(s.kafka.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	require.NoError(t, err)
	defer client.Close()
	for _, topic := range []string{"out-p", "out-q"} {
		require.NoError(t, client.ProduceSync(t.Context(), &kgo.Record{Topic: topic, Value: []byte("v")}).FirstErr())
	}
}

func anEmptyGroup(t *testing.T, s *stage) {
	t.Helper()
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group, req.Generation = "group-p", -1
	topic, part := kmsg.NewOffsetCommitRequestTopic(), kmsg.NewOffsetCommitRequestTopicPartition()
	topic.Topic, part.Offset = "in", 42
	topic.Partitions = append(topic.Partitions, part)
	req.Topics = append(req.Topics, topic)
	_, err := admin.AskCoordinator[*kmsg.OffsetCommitResponse](t.Context(), s.Field, req.Group, named{req})
	require.NoError(t, err)
}

func anOpenTransaction(t *testing.T, s *stage) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(s.kafka.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.TransactionalID("txn-p-0"))
	require.NoError(t, err)
	t.Cleanup(client.Close)
	require.NoError(t, client.BeginTransaction())
	require.NoError(t, client.ProduceSync(t.Context(), &kgo.Record{Topic: "out-p", Value: []byte("v")}).FirstErr())
}

// named is a request of the last version that names topics.
type named struct{ kmsg.Request }

func (named) MaxVersion() int16 { return 9 }
