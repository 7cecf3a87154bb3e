package readback

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/verifiers/internal/brokers"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// readPartition reads one log from its start to the captured end. A write error stops the run. Anything else that goes wrong
// is the partition's failure.
func (r *reading) readPartition(ctx context.Context, p *observation.Partition) error {
	if p.HW < 0 {
		return nil
	}
	out, err := observation.Create(observation.File(r.spec.Dir, p.Topic, p.Partition), observation.Header{Run: r.spec.RunID, Topic: p.Topic, Partition: p.Partition})
	if err != nil {
		return err
	}
	w := newPartitionWalker(r.spec.RunID, p, out, r.sampling.segment)
	aborted, readErr := r.readLog(ctx, p, &w.walker)
	if readErr != nil {
		fail(p, fmt.Errorf("read up to offset %d of %d: %w", w.next, p.HW, readErr))
	}
	p.Reached = w.next
	p.Complete = readErr == nil && w.done()
	p.Batches, p.Records = out.Totals()
	p.Aborted, p.Open, p.BrokerAborted, p.Committed = w.txns.Aborted(), w.txns.Open(), aborted, w.sums.committed()
	r.mu.Lock()
	r.sums[tpOf(p)], r.fingerprints[tpOf(p)] = w.sums, &w.fingerprint
	r.mu.Unlock()
	if !p.Complete {
		return out.Abandon()
	}
	return out.Close()
}

// partitionWalker walks one partition's log: it follows its transactions, sums it up and saves it.
type partitionWalker struct {
	walker
	txns observation.Transactions
	sums *sums
}

func newPartitionWalker(run history.RunID, p *observation.Partition, out *observation.Writer, segment int64) *partitionWalker {
	w := &partitionWalker{sums: newSums(p.LSO, segment)}
	w.walker = walker{run: run, start: p.LogStart, next: p.LogStart, end: p.HW, see: w.sums.see}
	w.take = func(b *observation.Batch) error {
		w.txns.Add(b)
		w.sums.batch(b)
		return out.Write(b)
	}
	return w
}

// readLog fetches until the walker is done: at isolation level 1, with the leader's list of aborted transactions, up to
// the last stable offset, and at level 0 from there. After an error it looks the leader up again, and goes on where it
// stopped.
func (r *reading) readLog(ctx context.Context, p *observation.Partition, w *walker) ([]observation.Aborted, error) {
	aborted := map[observation.Aborted]bool{}
	progress := time.Now()
	for !w.done() {
		if err := ctx.Err(); err != nil {
			return sorted(aborted), context.Cause(ctx)
		}
		before := w.next
		err := r.stream(ctx, p, w, aborted)
		if w.next > before {
			progress = time.Now()
		}
		if err == nil {
			continue
		}
		if time.Since(progress) > patience {
			return sorted(aborted), fmt.Errorf("no progress for %s: %w", patience, err)
		}
		r.leaders.forget(tpOf(p))
		_ = wait.Sleep(ctx, retryEvery) // the loop looks at the context itself
	}
	return sorted(aborted), nil
}

// stream reads on over one connection to the leader, until the walker is done or something goes wrong.
func (r *reading) stream(ctx context.Context, p *observation.Partition, w *walker, aborted map[observation.Aborted]bool) error {
	leader, err := r.leaders.of(ctx, tpOf(p))
	if err != nil {
		return err
	}
	conn, err := brokers.Dial(ctx, r.spec.Cluster.Direct(), leader.Address, clientID, requestTimeout)
	if err != nil {
		return fmt.Errorf("fetch %s: %w", tpOf(p), err)
	}
	a := newAhead(conn, leader, p, w.next, &r.buffers)
	ctx, cancel := context.WithCancel(ctx)
	context.AfterFunc(ctx, conn.Close)
	go a.run(ctx)
	defer a.recycle()
	defer cancel()
	for got := range a.full {
		if err := cmp.Or(got.err, w.walk(got.batches)); err != nil {
			return err
		}
		for _, t := range got.aborted {
			aborted[t] = true
		}
		a.free <- got.buffer
	}
	return nil
}

func sorted(set map[observation.Aborted]bool) []observation.Aborted {
	var list []observation.Aborted
	for a := range set {
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b observation.Aborted) int {
		return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.ProducerID, b.ProducerID))
	})
	return list
}
