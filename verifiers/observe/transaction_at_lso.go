package observe

import (
	"context"
	"time"

	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/history"
)

const (
	// probeAfter is how long a last stable offset must not advance before brokers are asked why: it takes 7 to 9 requests.
	probeAfter = time.Second
	// probeEvery is the pause before the same stall is asked about again: the transaction's state may change.
	probeEvery = 4 * time.Second
	// probeTimeout bounds one probe: a paused broker may be among those asked.
	probeTimeout = 3 * time.Second
)

// probe looks into the longest stall that is due, one at a time.
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
		s.nameTransaction(ctx, tp, sample)
	})
}

func (s *sampler) due(now history.Time) (tp ask.TopicPartition, sample history.Sample, due bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	longest := probeAfter
	for t, st := range s.state {
		stalled := now.Sub(st.since)
		if st.since != 0 && stalled >= longest && (st.probed < st.since || now.Sub(st.probed) >= probeEvery) {
			longest, tp, sample, due = stalled, t, st.newest, true
		}
	}
	return tp, sample, due
}

// nameTransaction writes which transaction starts at the last stable offset. Where the brokers don't say, nothing is written:
// the stall stays without a name, and the next probe tries again.
func (s *sampler) nameTransaction(ctx context.Context, tp ask.TopicPartition, at history.Sample) {
	open, err := s.brokers.OpenTransactions(ctx, int(at.Broker), tp)
	if err != nil {
		return
	}
	for _, o := range open {
		if o.Start != at.LSO {
			continue
		}
		t, _ := s.brokers.TransactionOf(ctx, o.ProducerID) // without a name, the producer id still says whose it is
		named := transactionAtLSO(o, t)
		s.write([]history.Entry{named})
		s.remember(tp, named)
		return
	}
}

// remember keeps the transaction at a last stable offset until that advances; it may have advanced while the brokers were
// asked.
func (s *sampler) remember(tp ask.TopicPartition, named *history.TransactionAtLSO) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.state[tp]; st.newest.LSO > named.LSO {
		s.ended = append(s.ended, *named)
	} else {
		st.named = named
	}
}

// askEnded asks what became of the transactions behind which a last stable offset has advanced.
func (s *sampler) askEnded(ctx context.Context) {
	s.mu.Lock()
	ended := s.ended
	s.ended = nil
	s.mu.Unlock()
	for _, was := range ended {
		if was.TransactionalID == "" {
			continue // only its id leads to its coordinator
		}
		s.probes.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, probeTimeout)
			defer cancel()
			now, err := s.brokers.Transaction(ctx, was.TransactionalID)
			if err != nil {
				return // the control record still shows how it ended
			}
			s.write([]history.Entry{&history.LSOAdvanced{
				Stamp: history.AtNow(), Topic: was.Topic, Partition: was.Partition, LSO: was.LSO,
				ProducerID: now.ProducerID, ProducerEpoch: int32(now.ProducerEpoch),
				TransactionalID: was.TransactionalID, State: now.State, Coordinator: int32(now.Coordinator),
			}})
		})
	}
}

// transactionAtLSO is what the partition's leader says of an open transaction, and what its coordinator does.
func transactionAtLSO(open ask.OpenTransaction, t ask.Transaction) *history.TransactionAtLSO {
	return &history.TransactionAtLSO{
		Stamp: history.AtNow(), Topic: open.Topic, Partition: open.Partition, LSO: open.Start,
		ProducerID: open.ProducerID, ProducerEpoch: open.ProducerEpoch,
		TransactionalID: t.TransactionalID, State: t.State,
		Coordinator: int32(t.Coordinator), TimeoutMillis: t.TimeoutMillis, StartMillis: t.StartMillis,
	}
}
