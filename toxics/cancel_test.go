package toxics

import (
	"context"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/tried"
)

// TestCancelledAtEveryStep: a run that is cancelled while a fault takes its first step, its second, and so on up to its
// last, and once it is active, heals it under the cancelled context. Nothing is left, wherever it was cancelled.
func TestCancelledAtEveryStep(t *testing.T) {
	require.Subset(t, Names(), tried.Names(), "there is no such fault")
	for _, kind := range All() {
		t.Run(kind.Name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.electsByOrder(t)
			s.fleet.members["service"] = &harness.Member{Name: "service", Role: "service", State: harness.MemberRunning}
			s.onlyTheControllerAddsPartitions()
			how := tried.Of(kind)
			fault, err := New(kind.Name, how.Options)
			require.NoError(t, err)
			const steps = 60
			for step := 1; step < steps; step++ {
				if how.Before != nil {
					how.Before(t, s.Field)
				}
				through, err := s.cancelledAt(t, fault, how.Target, step)
				s.whole(t)
				if through || how.Waits && step > 8 {
					t.Logf("cancelled at up to %d steps", step)
					assert.True(t, err == nil || how.Waits, "%v", err)
					return
				}
			}
			require.Fail(t, "more steps than are tried")
		})
	}
}

// cancelledAt injects a fault whose run is cancelled at a step, or once it is active, and heals it. It reports whether the
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
	i.Proofs(t.Context()) // has the toxics forget the rules
	return through, err
}

// electsByOrder makes elections of the fake brokers choose the first of the replicas, as they were last ordered.
func (s *stage) electsByOrder(t *testing.T) {
	t.Helper()
	orders := map[ask.TopicPartition][]int32{}
	s.kafka.ControlKey(int16(kmsg.AlterPartitionAssignments), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		for _, topic := range kreq.(*kmsg.AlterPartitionAssignmentsRequest).Topics {
			for _, p := range topic.Partitions {
				orders[ask.TopicPartition{Topic: topic.Topic, Partition: p.Partition}] = p.Replicas
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
				if order := orders[ask.TopicPartition{Topic: topic.Topic, Partition: p}]; len(order) > 0 {
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
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.NoError(t, wait.Poll(ctx, 5*time.Millisecond, func() (bool, error) {
		md, err := s.Brokers().Only(1).Metadata(ctx, "out-p", "out-q")
		for _, partitions := range md.Topics {
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
func (s *stage) onlyTheControllerAddsPartitions() {
	s.kafka.ControlKey(int16(kmsg.CreatePartitions), func(kmsg.Request) (kmsg.Response, error, bool) {
		s.kafka.KeepControl()
		if s.kafka.CurrentNode() == fakeController {
			return nil, nil, false
		}
		return nil, io.EOF, true
	})
}

// fakeController is the node that leads the fake brokers.
const fakeController = 2
