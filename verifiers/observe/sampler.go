package observe

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/verifiers/internal/brokers"
)

const (
	// Interval is the time between two samples.
	Interval = 100 * time.Millisecond
	// sampleTimeout is how old an answer may be: that of a broker that was paused in between is none.
	sampleTimeout = 500 * time.Millisecond
	// linkTimeout is when a silent connection is given up. Until then a paused broker's is kept, and answers at once when
	// it resumes.
	linkTimeout = time.Second
	// leaderless is how old a partition's newest answer may be before the partition is recorded as having no leader.
	leaderless = Interval + Interval/2
	clientID   = "chaeos-sampler"
)

// sampler asks every broker for every partition's ends. A broker that does not answer at once gets a goroutine of its own
// until it has, so that a paused one holds up nobody else.
type sampler struct {
	client *kgo.Client
	nodes  []int
	// askers are the brokers by their bootstrap addresses: one that the others have fenced is gone from metadata, and still
	// takes records.
	askers  map[int]*asker
	parts   map[brokers.TP]int32
	out     *history.Writer
	fail    func(error)
	probing atomic.Bool
	probes  sync.WaitGroup
	// late are the goroutines that wait for one broker each.
	late sync.WaitGroup

	mu    sync.Mutex
	state map[brokers.TP]*standing
	// released are transactions whose last stable offset has moved on, and that nobody was asked about since.
	released []history.Culprit
}

// standing is what is known of one partition now.
type standing struct {
	newest history.Sample
	// since is when the last stable offset was first seen where it is, behind the high watermark (0: it is not behind).
	since, probed history.Time
	// named is the transaction that was found to hold the last stable offset, and where that stood.
	named *history.Culprit
	// logEnd is the newest log end that was written.
	logEnd history.LogEnd
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
	s := &sampler{client: client, nodes: info.Nodes, parts: map[brokers.TP]int32{}, fail: fail, state: map[brokers.TP]*standing{}, askers: map[int]*asker{}}
	for _, topic := range append([]string{spec.Plan.Input}, spec.Plan.Outputs()...) {
		for p := range spec.Plan.Partitions {
			if topic != "" {
				tp := brokers.TP{Topic: topic, Partition: int32(p)}
				s.parts[tp] = -1
				s.state[tp] = &standing{}
			}
		}
	}
	// The client learns every broker's address here; from now on each is asked by itself, and its metadata is of no use.
	if _, err := brokers.Leaders(ctx, client, nil, nil); err != nil {
		client.Close()
		return nil, err
	}
	for i, node := range s.nodes {
		s.askers[node] = newAsker(int32(node), info.Bootstrap[i], spec.Cluster.Direct(), s.parts)
	}
	if s.out, err = create(spec, "observer-samples", SamplesFile); err != nil {
		client.Close()
		return nil, err
	}
	return s, nil
}

func (s *sampler) run(ctx context.Context) {
	every(ctx, func() { s.tick(ctx) })
	s.late.Wait()
	s.probes.Wait()
	for _, a := range s.askers {
		a.close()
	}
}

// tick asks all brokers at once and lets their answers gather: a sampler that is woken for each of them, from each broker,
// takes more of a processor than what the answers say.
func (s *sampler) tick(ctx context.Context) {
	asked := s.ask(ctx)
	_ = wait.Sleep(ctx, gathering) // who has not answered by then is waited for
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
	for _, node := range s.nodes {
		a := s.askers[node]
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

// every calls do each Interval until the context ends; a slow call delays the next one and is not made up for.
func every(ctx context.Context, do func()) {
	next := history.Now()
	for ctx.Err() == nil {
		do()
		next = max(next.Add(Interval), history.Now())
		_ = wait.Sleep(ctx, next.Sub(history.Now())) // the loop looks at the context itself
	}
}

// take makes samples of one broker's answers. A broker that can't answer is what faults are about; partitions without an
// answer are recorded by watch.
func (s *sampler) take(a *asker, receive func() (fresh bool, err error)) (entries []history.Entry) {
	if fresh, err := receive(); err != nil || !fresh {
		return nil
	}
	now := history.Now()
	for tp, hw := range a.ends[askHW] {
		lso, ok := a.ends[askLSO][tp]
		if !ok || hw.Err != nil || lso.Err != nil || hw.Offset < 0 || lso.Offset < 0 || hw.Epoch != lso.Epoch {
			continue
		}
		e := &history.Sample{
			At: now, Topic: tp.Topic, Partition: tp.Partition, Broker: a.broker, LeaderEpoch: lso.Epoch,
			LSO: lso.Offset, HW: max(hw.Offset, lso.Offset),
		}
		entries = append(entries, e)
		s.note(tp, *e)
	}
	if a.viewed {
		entries = append(entries, a.changedViews(now)...)
	}
	return append(entries, s.logEnds(now, a)...)
}

// logEnds takes from what a broker has stored the ends of the partitions that it leads: what lies above the high watermark
// is gone if it loses its leadership now. Only new ends above the high watermark are worth an entry.
func (s *sampler) logEnds(now history.Time, a *asker) (entries []history.Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for tp, end := range a.ends[askLogEnd] {
		hw, leads := a.ends[askHW][tp]
		if !leads || hw.Err != nil || hw.Offset < 0 || end.Err != nil || end.Epoch != hw.Epoch || end.Offset <= hw.Offset {
			continue
		}
		e := history.LogEnd{At: now, Topic: tp.Topic, Partition: tp.Partition, Broker: a.broker, LeaderEpoch: end.Epoch, End: end.Offset}
		if last := s.state[tp].logEnd; last.End == e.End && last.LeaderEpoch == e.LeaderEpoch {
			continue
		}
		s.state[tp].logEnd = e
		entries = append(entries, &e)
	}
	return entries
}

func (s *sampler) write(entries []history.Entry) {
	if len(entries) > 0 {
		s.fail(s.out.Write(entries...))
	}
}

// note remembers the newest sample and since when the last stable offset stands still.
func (s *sampler) note(tp brokers.TP, e history.Sample) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.state[tp]
	if e.LeaderEpoch < st.newest.LeaderEpoch {
		return // a cut-off leader's frozen answer
	}
	switch {
	case e.LSO >= e.HW:
		st.since = 0
	case st.since == 0 || e.LSO != st.newest.LSO:
		st.since = e.At
	}
	if st.named != nil && e.LSO > st.named.LSO {
		s.released = append(s.released, *st.named)
		st.named = nil
	}
	st.newest = e
}

// watch records partitions that no broker answers for as their leader (Broker -1, no offsets), and has long standstills
// looked into.
func (s *sampler) watch(ctx context.Context) {
	now := history.Now()
	var entries []history.Entry
	s.mu.Lock()
	for tp, st := range s.state {
		if now.Sub(st.newest.At) > leaderless {
			entries = append(entries, &history.Sample{At: now, Topic: tp.Topic, Partition: tp.Partition, Broker: -1, LeaderEpoch: -1, LSO: -1, HW: -1})
		}
	}
	s.mu.Unlock()
	s.write(entries)
	s.askReleased(ctx)
	s.probe(ctx, now)
}

func (s *sampler) largestLag(topic string) (lag int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for tp, st := range s.state {
		if tp.Topic == topic {
			lag = max(lag, st.newest.HW-st.newest.LSO)
		}
	}
	return lag
}

func (s *sampler) close() error {
	s.client.Close()
	if err := s.out.Close(); err != nil {
		return fmt.Errorf("observer: %w", err)
	}
	return nil
}
