package observe

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/wait"
)

const (
	// Interval is the time between two samples.
	Interval = 100 * time.Millisecond
	// sampleTimeout is how old an answer may be: that of a broker that was paused in between is none.
	sampleTimeout = 500 * time.Millisecond
	// linkTimeout is when a silent connection is given up. Until then a paused broker's is kept, and answers at once when
	// it resumes.
	linkTimeout = time.Second
	clientID    = "chaeos-sampler"
)

// sampler asks every broker for every partition's offsets. A broker that does not answer at once gets a goroutine of its own
// until it has, so that a paused one holds up no other.
type sampler struct {
	client  *kgo.Client
	brokers ask.Brokers
	// askers are the brokers by their bootstrap addresses: one that the others have fenced is gone from metadata, and still
	// takes records.
	askers  []*asker
	out     *history.Writer
	fail    func(error)
	probing atomic.Bool
	probes  sync.WaitGroup
	// late are the goroutines that wait for one broker each.
	late sync.WaitGroup

	mu    sync.Mutex
	state map[ask.TopicPartition]*partition
	// ended are transactions behind which the last stable offset has advanced, and that were not asked about since.
	ended []history.TransactionAtLSO
}

func newSampler(ctx context.Context, spec harness.ObserverSpec, fail func(error)) (*sampler, error) {
	info := spec.Cluster.Info()
	if len(info.Nodes) != len(info.Bootstrap) {
		return nil, fmt.Errorf("%d nodes, but %d addresses to ask them at", len(info.Nodes), len(info.Bootstrap))
	}
	client, err := harness.DirectClient(spec.Cluster, clientID, kgo.RequestTimeoutOverhead(linkTimeout), kgo.MetadataMaxAge(time.Hour))
	if err != nil {
		return nil, err
	}
	s := &sampler{
		client: client, brokers: ask.Of(client, info.Nodes...).Within(linkTimeout), fail: fail, state: map[ask.TopicPartition]*partition{},
	}
	parts := sampled(spec.Plan)
	for tp := range parts {
		s.state[tp] = &partition{}
	}
	// The client learns every broker's address here. From now on each is asked by itself, and its metadata is of no use.
	if _, err := s.brokers.Registered(ctx); err != nil {
		client.Close()
		return nil, err
	}
	for i, node := range info.Nodes {
		s.askers = append(s.askers, newAsker(int32(node), info.Bootstrap[i], spec.Cluster.Direct(), parts))
	}
	if s.out, err = create(spec, "observer-samples", SamplesFile); err != nil {
		client.Close()
		return nil, err
	}
	return s, nil
}

// sampled are the partitions of a plan's input and outputs, with no leader epoch to insist on.
func sampled(plan harness.TopicPlan) map[ask.TopicPartition]int32 {
	parts := map[ask.TopicPartition]int32{}
	for _, topic := range append([]string{plan.Input}, plan.Outputs()...) {
		for p := range plan.Partitions {
			if topic != "" {
				parts[ask.TopicPartition{Topic: topic, Partition: int32(p)}] = ask.AnyEpoch
			}
		}
	}
	return parts
}

func (s *sampler) run(ctx context.Context) {
	every(ctx, func() { s.tick(ctx) })
	s.late.Wait()
	s.probes.Wait()
	for _, a := range s.askers {
		a.close()
	}
}

// tick asks all brokers at once and lets their answers gather: waking the sampler for each answer of each broker would take
// more of a processor than reading them.
func (s *sampler) tick(ctx context.Context) {
	asked := s.ask(ctx)
	_ = wait.Sleep(ctx, gathering) // brokers that have not answered by then are waited for
	var entries []history.Entry
	for _, a := range asked {
		if a.answered() {
			entries = append(entries, s.take(a, a.receive)...)
		} else {
			s.leave(a, func() { s.write(s.take(a, a.await)) })
		}
	}
	s.write(entries)
	s.watch(ctx)
}

// ask asks every broker that is not being waited for, and returns those that can answer now.
func (s *sampler) ask(ctx context.Context) (asked []*asker) {
	for _, a := range s.askers {
		switch {
		case a.busy.Load():
		case a.conn == nil:
			s.leave(a, func() {
				if a.ask(ctx) == nil {
					s.write(s.take(a, a.await))
				}
			})
		case a.ask(ctx) == nil:
			asked = append(asked, a)
		}
	}
	return asked
}

// leave has a goroutine wait for a broker, which is asked nothing else meanwhile.
func (s *sampler) leave(a *asker, do func()) {
	a.busy.Store(true)
	s.late.Go(func() {
		defer a.busy.Store(false)
		do()
	})
}

// every calls do each Interval until the context ends. A slow call delays the next one, and is not made up for.
func every(ctx context.Context, do func()) {
	next := history.Now()
	for ctx.Err() == nil {
		do()
		next = max(next.Add(Interval), history.Now())
		_ = wait.Sleep(ctx, next.Sub(history.Now())) // the loop looks at the context itself
	}
}

func (s *sampler) write(entries []history.Entry) {
	if len(entries) > 0 {
		s.fail(s.out.Write(entries...))
	}
}

func (s *sampler) close() error {
	s.client.Close()
	if err := s.out.Close(); err != nil {
		return fmt.Errorf("observer: %w", err)
	}
	return nil
}
