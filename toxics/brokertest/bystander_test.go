package brokertest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/wait"
)

// bystander is what a fault must leave alone: it writes and reads a topic of its own all the time, over links of its own, and has
// an empty group and a transaction that stays open. Its state is noted, and compared while the fault is active and after its
// heal.
type bystander struct {
	stage *stage
	name  string
	topic string
	// group has committed offsets of the stage's input, and no member.
	group         string
	transactional string
	// brokers must be left alone with it: they keep its topic, and coordinate what is its.
	brokers []int
	// members of the fleet, and their links, must be left alone with it.
	members []string

	client, transacting *kgo.Client
	acked, fastest      []atomic.Int64 // by partition; the shortest round trip in nanoseconds, 0 before the first
	fetched, failed     atomic.Int64
	was                 standing
}

// bystander makes one whose topic has a partition on each of the given brokers, and replicas on no others.
func (s *stage) bystander(t *testing.T, brokers ...int) *bystander {
	t.Helper()
	b := &bystander{
		stage: s, name: fmt.Sprintf("bystander-%d", stages.Add(1)), brokers: brokers,
		acked: make([]atomic.Int64, len(brokers)), fastest: make([]atomic.Int64, len(brokers)),
	}
	b.topic = b.name + "-topic"
	b.makeTopic(t)
	// Who leads the internal topics after other tests is chance: each of their three partitions is led by another broker as made.
	for kind, topic := range map[int8]string{0: "__consumer_offsets", 1: "__transaction_state"} {
		coordinator(t, s, kind, b.name) // makes the topic where it is not there yet
		_, err := s.try(t, "preferred-election", "topic "+topic, nil)
		require.NoError(t, err)
	}
	b.group, b.transactional = b.coordinated(t, 0), b.coordinated(t, 1)
	s.commit(t, b.group, 7)
	b.client = b.connect(t, b.name, kgo.ConsumeTopics(b.topic), kgo.FetchMaxWait(100*time.Millisecond))
	b.transacting = b.connect(t, b.name+"-txn", kgo.TransactionalID(b.transactional), kgo.TransactionTimeout(10*time.Minute))
	require.NoError(t, b.transacting.BeginTransaction())
	require.NoError(t, b.transacting.ProduceSync(within(t, 20*time.Second), &kgo.Record{Topic: b.topic, Value: []byte("open")}).FirstErr())
	b.start(t)
	b.look(t)
	return b
}

// connect makes a client with links of its own that keeps its connections until somebody ends them.
func (b *bystander) connect(t *testing.T, name string, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	return b.stage.client(t, name, append([]kgo.Opt{
		kgo.ConnIdleTimeout(10 * time.Minute), kgo.RequestTimeoutOverhead(10 * time.Second),
	}, opts...)...)
}

func (b *bystander) makeTopic(t *testing.T) {
	t.Helper()
	topic := kmsg.NewCreateTopicsRequestTopic()
	topic.Topic, topic.NumPartitions, topic.ReplicationFactor = b.topic, -1, -1
	for p := range b.brokers {
		a := kmsg.NewCreateTopicsRequestTopicReplicaAssignment()
		a.Partition = int32(p)
		for _, node := range slices.Concat(b.brokers[p:], b.brokers[:p]) {
			a.Replicas = append(a.Replicas, int32(node))
		}
		topic.ReplicaAssignment = append(topic.ReplicaAssignment, a)
	}
	config := kmsg.NewCreateTopicsRequestTopicConfig()
	config.Name, config.Value = "min.insync.replicas", kmsg.StringPtr("1")
	topic.Configs = append(topic.Configs, config)
	createTopicsAs(t, b.stage.Admin, topic)
}

// coordinated makes up a name whose coordinator is one of the bystander's brokers.
func (b *bystander) coordinated(t *testing.T, kind int8) string {
	t.Helper()
	for n := range 200 {
		name := fmt.Sprintf("%s-%d-%d", b.name, kind, n)
		if slices.Contains(b.brokers, coordinator(t, b.stage, kind, name)) {
			return name
		}
	}
	require.Fail(t, "nothing that brokers coordinate", "%v", b.brokers)
	return ""
}

// start begins to write to every partition, one record after the other, and to read them all.
func (b *bystander) start(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	t.Cleanup(func() { cancel(); running.Wait() })
	for p := range b.brokers {
		running.Go(func() { b.write(ctx, p) })
	}
	running.Go(func() { b.read(ctx) })
	b.moves(t, "before the fault")
}

func (b *bystander) write(ctx context.Context, partition int) {
	for ctx.Err() == nil {
		begin := time.Now()
		record := &kgo.Record{Topic: b.topic, Partition: int32(partition), Value: make([]byte, 100)}
		err := b.client.ProduceSync(ctx, record).FirstErr()
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			b.failed.Add(1)
		default:
			if took, best := int64(time.Since(begin)), b.fastest[partition].Load(); best == 0 || took < best {
				b.fastest[partition].Store(took)
			}
			b.acked[partition].Add(1)
		}
		_ = wait.Sleep(ctx, 10*time.Millisecond)
	}
}

func (b *bystander) read(ctx context.Context) {
	for ctx.Err() == nil {
		fetches := b.client.PollFetches(ctx)
		if ctx.Err() == nil {
			b.failed.Add(int64(len(fetches.Errors())))
		}
		b.fetched.Add(int64(fetches.NumRecords()))
	}
}

const (
	// movedBy is how many records more in each partition show that it moves.
	movedBy = 10
	// undelayed is longer than a round trip that no fault delays: the shortest of several, for a busy machine makes them long.
	undelayed = 300 * time.Millisecond
)

// moves asserts that it goes on writing and reading in every partition, and that nothing delays it.
func (b *bystander) moves(t *testing.T, when string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	var from []int64
	for p := range b.acked {
		b.fastest[p].Store(0)
		from = append(from, b.acked[p].Load())
	}
	read := b.fetched.Load()
	err := wait.Poll(ctx, 10*time.Millisecond, func() (bool, error) {
		for p := range b.acked {
			if b.acked[p].Load() < from[p]+movedBy {
				return false, nil
			}
		}
		return b.fetched.Load() >= read+movedBy, nil
	})
	assert.NoError(t, err, "%s: the bystander does not go on", when)
	for p := range b.fastest {
		assert.Less(t, time.Duration(b.fastest[p].Load()), undelayed, "%s: its requests to broker %d are late", when, b.brokers[p])
	}
}

// leftAlone asserts that it goes on, and that its state is as it was noted.
func (b *bystander) leftAlone(t *testing.T, when string) {
	t.Helper()
	b.moves(t, when)
	assert.Equal(t, b.was, b.stands(t), "%s: the bystander was touched", when)
}

// ends asserts that nothing hinders its transaction's end.
func (b *bystander) ends(t *testing.T) {
	t.Helper()
	assert.NoError(t, b.transacting.EndTransaction(within(t, 20*time.Second), kgo.TryCommit), "its transaction was not left alone")
}

// withOthers says which members of the fleet must be left alone from now on: all but the workers of that number.
func (b *bystander) withOthers(t *testing.T, but int) {
	t.Helper()
	b.members = nil
	for _, m := range b.stage.Fleet.Members() {
		if m.Role != "worker" || m.Number != but {
			b.members = append(b.members, m.Name)
		}
	}
	require.NotEmpty(t, b.members)
	b.look(t)
}

// look notes its state now.
func (b *bystander) look(t *testing.T) { t.Helper(); b.was = b.stands(t) }
