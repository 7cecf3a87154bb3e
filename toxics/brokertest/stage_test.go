package brokertest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	toxiclient "github.com/Shopify/toxiproxy/v2/client"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/claims"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/toxics"
)

const partitions = 3

// stage is a run as faults see it: the shared cluster, fresh topics, and one producer for each partition, each with links
// of its own.
type stage struct {
	*harness.Field
	cluster   harness.Cluster
	producers []*producer
}

// producer sends one record after another to one partition, acks=1: only its leader matters.
type producer struct {
	client         *kgo.Client
	offered, acked atomic.Uint64
	// fastest is the shortest round trip since it was last reset, in nanoseconds, 0 before the first: a busy machine makes
	// round trips longer, never shorter than a delay on the way.
	fastest atomic.Int64
}

// fleet pretends that each producer is a worker which holds its partition.
type fleet struct {
	harness.Fleet
	producers []*producer
	names     []string
}

func (f fleet) Members() []harness.Member {
	var out []harness.Member
	for i, name := range f.names {
		out = append(out, harness.Member{
			Name: name, Role: "worker", Pipeline: "p", Number: i, State: harness.MemberRunning, Partitions: []int32{int32(i)},
		})
	}
	return out
}

func (f fleet) Offered(string) uint64 {
	return sum(f.producers, func(p *producer) uint64 { return p.offered.Load() })
}

type observer struct {
	producers []*producer
}

func (o observer) Visible(string) uint64 {
	return sum(o.producers, func(p *producer) uint64 { return p.acked.Load() })
}

func sum(producers []*producer, of func(*producer) uint64) uint64 {
	var n uint64
	for _, p := range producers {
		n += of(p)
	}
	return n
}

var stages atomic.Int64

func newStage(t *testing.T) *stage {
	t.Helper()
	c := brokers(t)
	prefix := fmt.Sprintf("faults-%d", stages.Add(1))
	plan := harness.TopicPlan{
		Input: prefix + "-in", Partitions: partitions, MinISR: 2,
		Pipelines: []harness.PipelineLayout{{
			PipelineInfo: harness.PipelineInfo{Name: "p"}, Output: prefix + "-out", Group: prefix + "-group",
			TransactionalIDs: []string{prefix + "-txn"},
		}},
	}
	admin, err := harness.DirectClient(c, "faults-admin")
	require.NoError(t, err)
	t.Cleanup(admin.Close)
	s := &stage{cluster: c}
	var names []string
	for p := range partitions {
		names = append(names, fmt.Sprintf("%s-%d", prefix, p))
	}
	createTopics(t, admin, plan.Input, plan.Pipelines[0].Output)
	s.Field = &harness.Field{Cluster: c, Admin: admin, Plan: plan, Rand: rand.New(rand.NewPCG(1, 0)), Claims: &claims.Book{}}
	s.awaitInSync(t)
	for p, name := range names {
		s.producers = append(s.producers, startProducer(t, c, name, plan.Pipelines[0].Output, int32(p)))
	}
	s.Fleet, s.Observer = fleet{producers: s.producers, names: names}, observer{producers: s.producers}
	for p := range s.producers {
		require.True(t, s.progresses(t, p, 5*time.Second), "producer %d must work before the fault", p)
	}
	return s
}

// createTopics makes topics whose partition p is led by broker p+1.
func createTopics(t *testing.T, client *kgo.Client, names ...string) {
	t.Helper()
	var topics []kmsg.CreateTopicsRequestTopic
	for _, name := range names {
		topic := kmsg.NewCreateTopicsRequestTopic()
		topic.Topic, topic.NumPartitions, topic.ReplicationFactor = name, -1, -1
		for p := range int32(partitions) {
			a := kmsg.NewCreateTopicsRequestTopicReplicaAssignment()
			a.Partition, a.Replicas = p, []int32{p + 1, (p+1)%3 + 1, (p+2)%3 + 1}
			topic.ReplicaAssignment = append(topic.ReplicaAssignment, a)
		}
		topics = append(topics, topic)
	}
	createTopicsAs(t, client, topics...)
}

func createTopicsAs(t *testing.T, client *kgo.Client, topics ...kmsg.CreateTopicsRequestTopic) {
	t.Helper()
	req := kmsg.NewPtrCreateTopicsRequest()
	req.TimeoutMillis, req.Topics = 15_000, topics
	resp, err := req.RequestWith(t.Context(), client)
	require.NoError(t, err)
	for _, topic := range resp.Topics {
		require.Zero(t, topic.ErrorCode, topic.Topic)
	}
}

func startProducer(t *testing.T, c harness.Cluster, name, topic string, partition int32) *producer {
	t.Helper()
	dials, err := c.ClientLinks(t.Context(), name)
	require.NoError(t, err)
	client, err := kgo.NewClient(
		kgo.SeedBrokers(c.Info().Bootstrap...), harness.Via(dials), kgo.AlwaysRetryEOF(), kgo.RequiredAcks(kgo.LeaderAck()),
		kgo.DisableIdempotentWrite(), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(0),
		kgo.MetadataMinAge(100*time.Millisecond), kgo.MetadataMaxAge(time.Second),
	)
	require.NoError(t, err)
	p := &producer{client: client}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { p.run(ctx, topic, partition) })
	t.Cleanup(func() { cancel(); running.Wait(); client.Close() })
	return p
}

func (p *producer) run(ctx context.Context, topic string, partition int32) {
	for ctx.Err() == nil {
		p.offered.Add(1)
		begin := time.Now()
		record := &kgo.Record{Topic: topic, Partition: partition, Value: make([]byte, 100)}
		if p.client.ProduceSync(ctx, record).FirstErr() == nil {
			p.acked.Add(1)
			if took, best := int64(time.Since(begin)), p.fastest.Load(); best == 0 || took < best {
				p.fastest.Store(took)
			}
		}
		_ = wait.Sleep(ctx, 5*time.Millisecond)
	}
}

// progresses reports whether a producer got 20 acknowledgements within d.
func (s *stage) progresses(t *testing.T, producer int, d time.Duration) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	from := s.producers[producer].acked.Load()
	return wait.Poll(ctx, 20*time.Millisecond, func() (bool, error) {
		return s.producers[producer].acked.Load() >= from+20, nil
	}) == nil
}

// fastest is a producer's shortest round trip from now on, within d.
func (s *stage) fastest(t *testing.T, producer int, d time.Duration) time.Duration {
	t.Helper()
	s.producers[producer].fastest.Store(0)
	require.NoError(t, wait.Sleep(t.Context(), d))
	return time.Duration(s.producers[producer].fastest.Load())
}

func (s *stage) inject(t *testing.T, name, target string, options map[string]any) harness.Injection {
	t.Helper()
	i, err := s.try(t, name, target, options)
	require.NoError(t, err)
	return i
}

// try injects a fault that may fail; whatever it did is healed at the latest when the test ends. The run is cancelled as
// soon as the fault is active: it must stay so, and heal, all the same.
func (s *stage) try(t *testing.T, name, target string, options map[string]any) (harness.Injection, error) {
	t.Helper()
	fault, err := toxics.New(name, options)
	require.NoError(t, err)
	run, cancel := context.WithCancel(t.Context())
	i, err := fault.Inject(run, s.Field, target)
	cancel()
	if i != nil {
		t.Cleanup(func() {
			require.NoError(t, i.Heal(context.Background()))
			if t.Failed() {
				i.Proofs(context.Background()) // has the toxics forget its rules, before another test looks at them
			}
		})
	}
	if err == nil {
		injected[name] = true
	}
	return i, err
}

// undo heals as an interrupted run does, whose context is done.
func undo(t *testing.T, i harness.Injection) {
	t.Helper()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, i.Heal(over))
}

// heal heals, and asserts that nothing is left: no toxic, every node running, every replica in sync.
func (s *stage) heal(t *testing.T, i harness.Injection) {
	t.Helper()
	undo(t, i)
	require.NoError(t, i.Heal(t.Context()), "a second heal has nothing to do")
	proxies, err := toxiclient.NewClient(s.cluster.Info().ToxiproxyAPI).Proxies()
	require.NoError(t, err)
	for _, p := range proxies {
		for _, toxic := range p.ActiveToxics {
			require.False(t, strings.HasPrefix(toxic.Name, "chaeos-"), "%s was left on %s", toxic.Name, p.Name)
		}
	}
	nodes, err := s.cluster.Status(t.Context())
	require.NoError(t, err)
	for _, n := range nodes {
		require.Equal(t, harness.NodeRunning, n.State, "broker %d", n.Node)
		require.False(t, n.Unplanned, "broker %d: %s", n.Node, n.Reason)
	}
	s.awaitInSync(t)
}

func (s *stage) awaitInSync(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	missing := errors.New("no broker answered")
	err := wait.Poll(ctx, 200*time.Millisecond, func() (bool, error) {
		missing = s.notInSync(ctx)
		return missing == nil, nil
	})
	require.NoError(t, err, "%v", missing)
}

func (s *stage) notInSync(ctx context.Context) error {
	for _, node := range s.cluster.Info().Nodes {
		md, err := ask.Of(s.Admin, node).Metadata(ctx, s.Plan.Input, s.Plan.Pipelines[0].Output)
		if err != nil {
			return err
		}
		for topic, states := range md.Topics {
			for p, state := range states {
				if !state.InSync() {
					return fmt.Errorf("broker %d: %s/%d has %v of %v in sync", node, topic, p, state.ISR, state.Replicas)
				}
			}
		}
		if len(md.Topics) != 2 || len(md.Brokers) != 3 {
			return fmt.Errorf("broker %d knows %d topics and brokers %v", node, len(md.Topics), md.Brokers)
		}
	}
	return nil
}

// newLeader waits until another broker than the given one leads the output's partition, and returns it; 0 when that didn't
// happen in time. The broker itself isn't asked.
func (s *stage) newLeader(t *testing.T, partition int32, old int, within time.Duration) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	leader := 0
	_ = wait.Poll(ctx, 100*time.Millisecond, func() (bool, error) {
		for _, node := range s.cluster.Info().Nodes {
			if node == old {
				continue
			}
			md, err := ask.Of(s.Admin, node).Metadata(ctx, s.Plan.Pipelines[0].Output)
			if err == nil {
				leader = md.Topics[s.Plan.Pipelines[0].Output][partition].Leader
			}
		}
		return leader > 0 && leader != old, nil
	})
	if leader == old {
		return 0
	}
	return leader
}

func onlyProof(t *testing.T, i harness.Injection) harness.Proof {
	t.Helper()
	proofs := i.Proofs(t.Context())
	require.Len(t, proofs, 1)
	return proofs[0]
}

func effectOf(i harness.Injection) string { return i.(interface{ Reacted() string }).Reacted() }

// coordinator asks broker 2 for a coordinator until there is one: the first question makes the internal topic.
func coordinator(t *testing.T, s *stage, kind int8, key string) int {
	t.Helper()
	return coordinatorBy(t, s, []int{2}, kind, key)
}

// coordinatorBy asks the given brokers in turn.
func coordinatorBy(t *testing.T, s *stage, asked []int, kind int8, key string) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	req := kmsg.NewPtrFindCoordinatorRequest()
	req.CoordinatorType, req.CoordinatorKeys = kind, []string{key}
	node := 0
	require.NoError(t, wait.Poll(ctx, 200*time.Millisecond, func() (bool, error) {
		resp, err := ask.First[*kmsg.FindCoordinatorResponse](ctx, ask.Of(s.Admin, asked...), req)
		if err != nil {
			return false, nil
		}
		found := resp.Coordinators
		if len(found) == 1 && found[0].ErrorCode == 0 {
			node = int(found[0].NodeID)
		}
		return node > 0, nil
	}))
	return node
}
