package observe

import (
	"context"
	"time"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/internal/brokers"
	"github.com/chaeos/chaeos/verifiers/observation"
)

const (
	// probeAfter is how long a last stable offset must stand still before somebody is asked why: it takes 7 to 9 requests.
	probeAfter = time.Second
	// probeEvery is the pause before the same standstill is asked about again: its state may change.
	probeEvery = 4 * time.Second
	// probeTimeout bounds one probe: a paused broker may be among those asked.
	probeTimeout = 3 * time.Second
)

// probe looks into the longest standstill that is due, one at a time.
func (s *sampler) probe(ctx context.Context, now history.Time) {
	tp, sample, due := s.due(now)
	if !due || !s.probing.CompareAndSwap(false, true) {
		return
	}
	s.mu.Lock()
	s.state[tp].probed = now
	s.mu.Unlock()
	s.probes.Go(func() {
		defer s.probing.Store(false)
		ctx, cancel := context.WithTimeout(ctx, probeTimeout)
		defer cancel()
		s.nameCulprit(ctx, tp, sample)
	})
}

func (s *sampler) due(now history.Time) (tp brokers.TP, sample history.Sample, due bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	longest := probeAfter
	for t, st := range s.state {
		stood := now.Sub(st.since)
		if st.since != 0 && stood >= longest && (st.probed < st.since || now.Sub(st.probed) >= probeEvery) {
			longest, tp, sample, due = stood, t, st.newest, true
		}
	}
	return tp, sample, due
}

// nameCulprit writes which transaction starts where the last stable offset stands. Where the brokers don't tell, nothing
// is written: the stall stays without a name, and the next probe tries again.
func (s *sampler) nameCulprit(ctx context.Context, tp brokers.TP, at history.Sample) {
	open, err := brokers.OpenTransactions(ctx, s.client, at.Broker, tp)
	if err != nil {
		return
	}
	for i := range open {
		if open[i].Start != at.LSO {
			continue
		}
		_ = brokers.NameTransaction(ctx, s.client, s.nodes, &open[i]) // without a name, the producer id still says who
		named := culprit(tp, at.LSO, open[i])
		s.write([]history.Entry{named})
		s.remember(tp, named)
		return
	}
}

// remember keeps who holds a last stable offset until it moves; it may have moved while the brokers were asked.
func (s *sampler) remember(tp brokers.TP, named *history.Culprit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.state[tp]; st.newest.LSO > named.LSO {
		s.released = append(s.released, *named)
	} else {
		st.named = named
	}
}

// askReleased asks what became of the transactions that let go of a last stable offset.
func (s *sampler) askReleased(ctx context.Context) {
	s.mu.Lock()
	released := s.released
	s.released = nil
	s.mu.Unlock()
	for _, c := range released {
		if c.TransactionalID == "" {
			continue // only its id leads to its coordinator
		}
		s.probes.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, probeTimeout)
			defer cancel()
			now, err := brokers.DescribeTransaction(ctx, s.client, s.nodes, c.TransactionalID)
			if err != nil {
				return // the control record still tells how it ended
			}
			s.write([]history.Entry{&history.Released{
				At: history.Now(), Topic: c.Topic, Partition: c.Partition, LSO: c.LSO, ProducerID: now.ProducerID, ProducerEpoch: now.ProducerEpoch,
				TransactionalID: c.TransactionalID, State: now.State, Coordinator: now.Coordinator,
			}})
		})
	}
}

func culprit(tp brokers.TP, lso int64, open observation.OpenTxn) *history.Culprit {
	return &history.Culprit{
		At: history.Now(), Topic: tp.Topic, Partition: tp.Partition, LSO: lso,
		ProducerID: open.ProducerID, ProducerEpoch: open.ProducerEpoch,
		TransactionalID: open.TransactionalID, State: open.State,
		Coordinator: open.Coordinator, TimeoutMillis: open.TimeoutMillis, StartMillis: open.StartMillis,
	}
}
