package workloads

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/wait"
)

const (
	// sourceBuffer is how many records a source may hold unsettled before its pace must wait: an outage of most of a
	// minute at thousands a second. Their scheduled times stay what they were.
	sourceBuffer      = 200_000
	sourceBufferBytes = 256 << 20
	// unthrottledBytes is what a source without a schedule to keep may hold: enough for full requests in flight to every
	// broker. More would only cost fresh memory.
	unthrottledBytes = 32 << 20
	// settleWithin bounds the wait for promises after the client was closed.
	settleWithin = time.Second
)

// source fills a topic at an open-loop pace and records what became of each record.
type source struct {
	spec  spec
	hist  *history.Writer
	kafka *kgo.Client
	// cancel fails what the client still waits for: closing it alone waits for dials and reads under way.
	cancel         context.CancelFunc
	unacknowledged bool
	stopping       context.Context //nolint:containedctx // the process's own state, done when it must end in order
	settled        settlements
	gates          *gates
	// afterBlock, when set, runs after each block is handed to the client.
	afterBlock func(context.Context) error
	// next is the sequence of the next record.
	next                     uint64
	intended, acked, pending atomic.Int64
	promise                  func(*kgo.Record, error)
}

// openSource makes a source that writes with the given producing options: none for the shared source, which keeps kgo's
// defaults, acks=all and idempotent.
func openSource(stopping context.Context, s spec, hist *history.Writer, p Pipeline, g *gates) (*source, error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(stopping))
	kafka, err := kgo.NewClient(append(append(SourceOptions(s), kgo.WithContext(ctx)), p.producer...)...)
	if err != nil {
		cancel()
		return nil, fmt.Errorf("kafka client: %w", err)
	}
	src := &source{
		spec: s, hist: hist, kafka: kafka, cancel: cancel, unacknowledged: p.unacknowledged, stopping: stopping,
		settled: settlements{stride: uint64(s.Partitions)}, gates: g, next: s.First,
	}
	src.promise = src.settle
	return src, nil
}

// sender is what a source process runs. Run sends until it must stop, then drains within its context.
type sender interface {
	run(ctx context.Context) error
	counters() counters
}

var _ sender = (*source)(nil)

// run sends from now until the source must stop or has sent its count, then drains. Ctx bounds the drain: what is not
// settled by then is recorded as unknown.
func (s *source) run(ctx context.Context) error {
	settling, stop := context.WithCancel(ctx)
	written := make(chan error, 1)
	go func() { written <- s.writeSettled(settling) }()
	err := s.send(ctx)
	if err == nil {
		s.drain(ctx)
	}
	stop()
	s.close()
	return errors.Join(err, <-written, s.record(s.settled.take(true)...))
}

// send keeps the pace, a block of records at a time: first the block's intent is written, then its records are sent,
// each when it is due.
func (s *source) send(ctx context.Context) error {
	pace := newPace(history.Now(), s.spec.Load)
	for s.stopping.Err() == nil && ctx.Err() == nil {
		n := pace.block()
		if s.spec.Count > 0 {
			n = min(n, s.spec.First+s.spec.Count-s.next)
		}
		if n == 0 {
			return nil
		}
		if err := s.untilDue(s.stopping, &pace); err != nil {
			return nil //nolint:nilerr // stopped before the block: nothing of it was intended
		}
		if err := s.sendBlock(ctx, &pace, n); err != nil {
			return err
		}
		if s.afterBlock != nil {
			if err := s.afterBlock(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *source) untilDue(ctx context.Context, p *pace) error {
	if p.unlimited() {
		return nil
	}
	if ahead := p.peek().Sub(history.Now()); ahead > 0 {
		return wait.Sleep(ctx, ahead)
	}
	return nil
}

// sendBlock intends and sends n records. A block once intended is sent whole, also when the source is told to stop.
func (s *source) sendBlock(ctx context.Context, p *pace, n uint64) error {
	now := history.Now()
	if err := s.hist.Write(&history.Intent{At: now, First: s.next, Count: n}); err != nil {
		return err
	}
	values, records := make([]byte, 0, n*uint64(s.recordSize())), make([]kgo.Record, n)
	for i := range records {
		scheduled := now
		if !p.unlimited() {
			if err := s.untilDue(ctx, p); err != nil {
				s.unsent(n - uint64(i))
				return nil //nolint:nilerr // out of time, as its caller sees by ctx
			}
			scheduled = p.next()
		}
		values = s.fill(&records[i], values, scheduled)
		s.pending.Add(1)
		s.kafka.Produce(ctx, &records[i], s.promise)
	}
	return nil
}

func (s *source) recordSize() int { return max(s.spec.Load.RecordSize, history.OutputSize) }

// fill makes the next record; its value is appended to values. A sequence that an earlier life intended is not counted
// again.
func (s *source) fill(r *kgo.Record, values []byte, scheduled history.Time) []byte {
	id := history.Identity{Source: s.spec.Number, Sequence: s.next}
	start := len(values)
	values = history.AppendInput(values, history.Input{Run: s.spec.Run, Identity: id, Scheduled: scheduled}, s.recordSize())
	r.Topic, r.Partition = s.spec.Output, int32(s.next%uint64(s.spec.Partitions))
	r.Value = values[start:len(values):len(values)]
	if s.next >= s.spec.First {
		s.intended.Add(1)
	}
	s.next++
	return values
}

// unsent settles the rest of a block that was intended and not handed to the client.
func (s *source) unsent(n uint64) {
	for range n {
		f := fate{outcome: history.OutcomeFailed, reason: "never handed to the client"}
		s.settled.settle(f, int32(s.next%uint64(s.spec.Partitions)), s.next)
		s.next++
	}
}

// settle is every record's promise. The sequence is read back from the value, so that a record needs no state of its
// own.
func (s *source) settle(r *kgo.Record, err error) {
	defer s.pending.Add(-1)
	sequence := history.SequenceOf(r.Value)
	outcome, reason := produceOutcome(err)
	switch {
	case err != nil:
		s.settled.settle(fate{outcome: outcome, reason: reason}, r.Partition, sequence)
	case s.unacknowledged:
		s.settled.settle(fate{outcome: history.OutcomeUnknown, sent: true}, r.Partition, sequence)
	default:
		s.settled.ack(r.Partition, sequence, r.Offset)
		s.acked.Add(1)
	}
}

// writeSettled writes outcomes in batches until ctx is done.
func (s *source) writeSettled(ctx context.Context) error {
	err := wait.Poll(ctx, settleEvery, func() (bool, error) { return false, s.record(s.settled.take(false)...) })
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (s *source) record(entries ...history.Entry) error {
	if len(entries) == 0 {
		return nil
	}
	return s.hist.Write(entries...)
}

// drain waits until every record is settled. An idempotent record whose outcome is unknown ignores its own context, so
// only the flush's deadline ends this.
func (s *source) drain(ctx context.Context) {
	if err := s.kafka.Flush(ctx); err != nil {
		slog.Warn("drain ended early", "unsettled", s.pending.Load(), "err", err)
	}
}

// close fails what is still unsettled: with a closed client it is unknown. Promises run on a goroutine of the client.
func (s *source) close() {
	s.cancel()
	s.kafka.Close()
	ctx, cancel := context.WithTimeout(context.Background(), settleWithin)
	defer cancel()
	if wait.Poll(ctx, time.Millisecond, func() (bool, error) { return s.pending.Load() == 0, nil }) != nil {
		slog.Warn("records without an end are unknown", "records", s.pending.Load())
	}
}

func (s *source) counters() counters {
	return counters{Intended: uint64(s.intended.Load()), Acked: uint64(s.acked.Load())}
}
