package workloads

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/wait"
)

// mostInTransaction bounds the records of one transaction.
const mostInTransaction = 2000

// transacting is a source that writes a tenth of a second's records, and whatever else is due by now, in one transaction. It keeps no position: each new
// session reads it back from the topic.
type transacting struct {
	*source
	// takeOverEvery is how often another producer takes the transactional id before a commit (0: never).
	takeOverEvery time.Duration
	tookOver      history.Time
	// rival is the producer that took the id; it is in charge next.
	rival *kgo.Client
	pace  pace
	// open is the block in hand: intended, and not known to be committed.
	open *block
	txn  uint64
}

// block is a run of records that go into one transaction.
type block struct {
	first   uint64
	records []*kgo.Record
	// offsets are where the records were stored in the transaction that is open now.
	offsets []int64
}

var _ sender = (*transacting)(nil)

func openTransacting(stopping context.Context, s spec, hist *history.Writer, g *gates, t transacting) *transacting {
	t.source = &source{
		spec: s, hist: hist, stopping: stopping, gates: g,
		settled: settlements{stride: uint64(s.Partitions)}, next: s.First, cancel: func() {},
	}
	return &t
}

// newID makes the transactional id of one life.
func newID(s spec) string {
	return harness.CoordinatedID(fmt.Sprintf("%s-%d-%x", s.TransactionalID, s.Incarnation, history.Now()))
}

func (t *transacting) run(ctx context.Context) error {
	settling, stop := context.WithCancel(ctx)
	written := make(chan error, 1)
	go func() { written <- t.writeSettled(settling) }()
	t.pace, t.tookOver = newPace(history.Now(), t.spec.Load), history.Now()
	err := t.sessions(ctx)
	if ctx.Err() != nil {
		err = nil // out of time: what is open stays unknown
	}
	if t.rival != nil {
		t.rival.Close()
	}
	stop()
	return errors.Join(err, <-written, t.record(t.settled.take(true)...))
}

// sessions opens producers one after the other, each after the one before was lost.
func (t *transacting) sessions(ctx context.Context) error {
	for t.stopping.Err() == nil || t.open != nil {
		err := t.session(ctx)
		var lost *sessionError
		if !errors.As(err, &lost) {
			return err
		}
		slog.Warn("new session", "after", err)
		if err := wait.Sleep(ctx, reopenPause); err != nil {
			return err
		}
	}
	return nil
}

// session takes the id, finds the position and sends until it is lost or must stop.
func (t *transacting) session(ctx context.Context) error {
	kafka, err := t.inCharge(ctx)
	if err != nil {
		return err
	}
	defer kafka.Close()
	t.kafka = kafka
	next, err := t.readBack(ctx)
	if err != nil {
		return &sessionError{err}
	}
	t.resume(next)
	for t.open != nil || t.stopping.Err() == nil {
		if t.open == nil {
			if err := t.intend(ctx); err != nil || t.open == nil {
				return err
			}
		}
		if err := t.transaction(ctx); err != nil {
			return err
		}
	}
	return nil
}

// inCharge is the rival that took the id, or a new producer that takes it now.
func (t *transacting) inCharge(ctx context.Context) (*kgo.Client, error) {
	if k := t.rival; k != nil {
		t.rival = nil
		return k, nil
	}
	return t.take(ctx)
}

// take makes a producer and fetches its producer id, which fences every other producer of the id.
func (t *transacting) take(ctx context.Context) (*kgo.Client, error) {
	k, err := kgo.NewClient(append(transactingOptions(t.spec), kgo.WithContext(ctx))...)
	if err != nil {
		return nil, fmt.Errorf("kafka client: %w", err)
	}
	if _, _, err := k.ProducerID(ctx); err != nil {
		k.Close()
		return nil, &sessionError{fmt.Errorf("producer id: %w", err)}
	}
	return k, nil
}

// transactingOptions are the client options of a source that writes in transactions.
func transactingOptions(s spec) []kgo.Opt {
	return append(SourceOptions(s), kgo.TransactionalID(s.TransactionalID), kgo.TransactionTimeout(s.Shared.TransactionTimeout))
}

// resume goes on from the position that was read back. A block in hand whose records are all below it was committed.
func (t *transacting) resume(next uint64) {
	if t.open == nil {
		t.next = next
		return
	}
	for len(t.open.records) > 0 && t.open.first < next {
		r := t.open.records[0]
		t.ackOne(r.Partition, t.open.first, -1)
		t.open.first, t.open.records = t.open.first+1, t.open.records[1:]
	}
	if len(t.open.records) == 0 {
		t.open = nil
	}
}

func (t *transacting) ackOne(partition int32, sequence uint64, offset int64) {
	t.settled.ack(partition, sequence, offset)
	t.acked.Add(1)
}

// intend takes the schedule's next block in hand.
func (t *transacting) intend(ctx context.Context) error {
	n := t.pace.block()
	if !t.pace.unlimited() {
		n = max(n, t.pace.due(history.Now(), mostInTransaction))
	}
	if t.spec.Count > 0 {
		n = min(n, t.spec.First+t.spec.Count-t.next)
	}
	if n == 0 || t.untilDue(t.stopping, &t.pace) != nil {
		return nil
	}
	if err := t.hist.Write(&history.Intent{At: history.Now(), First: t.next, Count: n}); err != nil {
		return err
	}
	b := &block{first: t.next}
	for range n {
		if err := t.untilDue(ctx, &t.pace); err != nil {
			t.unsent(n - uint64(len(b.records)))
			break
		}
		scheduled := history.Now()
		if !t.pace.unlimited() {
			scheduled = t.pace.next()
		}
		r := &kgo.Record{}
		t.fill(r, nil, scheduled)
		b.records = append(b.records, r)
	}
	t.open = b
	return nil
}
