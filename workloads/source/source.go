package source

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
	"github.com/chaeos/chaeos/workloads/member"
	"github.com/chaeos/chaeos/workloads/protocol"
)

// promisesWithin bounds the wait for promises after the client was closed.
const promisesWithin = time.Second

// Config is what a producer under test changes of the shared source. The zero value changes nothing.
type Config struct {
	// Producer are further options of its client, after Options.
	Producer []kgo.Opt
	// Unacknowledged is set if the brokers never answer (acks=0): a record is sent, and never acknowledged.
	Unacknowledged bool
}

// source fills a topic at an open-loop pace and records the outcome of each record.
type source struct {
	*member.Process
	kafka *kgo.Client
	// cancel fails what the client still waits for: closing it alone waits for dials and reads under way.
	cancel         context.CancelFunc
	unacknowledged bool
	outcomes       outcomes
	// afterBlock, if set, runs after each block was handed to the client.
	afterBlock func(context.Context) error
	// next is the sequence of the next record.
	next                     uint64
	intended, acked, pending atomic.Int64
	promise                  func(*kgo.Record, error)
}

// Open makes the program of a source that only sends.
func Open(p *member.Process, c Config) (member.Program, error) {
	src, err := open(p, c)
	if err != nil {
		return member.Program{}, err
	}
	return src.program(src.run), nil
}

func open(p *member.Process, c Config) (*source, error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(p.Stopping))
	kafka, err := kgo.NewClient(append(append(Options(p.Spec), kgo.WithContext(ctx)), c.Producer...)...)
	if err != nil {
		cancel()
		return nil, fmt.Errorf("kafka client: %w", err)
	}
	src := &source{
		Process: p, kafka: kafka, cancel: cancel, unacknowledged: c.Unacknowledged,
		outcomes: outcomes{stride: uint64(p.Spec.Partitions)}, next: p.Spec.First,
	}
	src.promise = src.resolve
	return src, nil
}

// program runs the source once it is fed.
func (s *source) program(run func(context.Context) error) member.Program {
	return member.Program{Counters: s.counters, Run: func(ctx context.Context) error {
		select {
		case <-s.Fed:
		case <-s.Stopping.Done():
		}
		return run(ctx)
	}}
}

// run sends from now until the source must stop or has sent its count, then drains. Ctx bounds the drain: what has no
// outcome by then is recorded as unknown.
func (s *source) run(ctx context.Context) error {
	return s.writingOutcomes(ctx, func() error {
		err := s.send(ctx)
		if err == nil {
			s.drain(ctx)
		}
		s.close()
		return err
	})
}

// writingOutcomes writes outcomes while work runs, and the last of them after it.
func (s *source) writingOutcomes(ctx context.Context, work func() error) error {
	writing, stop := context.WithCancel(ctx)
	written := make(chan error, 1)
	go func() { written <- s.writeOutcomes(writing) }()
	err := work()
	stop()
	return errors.Join(err, <-written, s.Record(s.outcomes.take(true)...))
}

// writeOutcomes writes outcomes in batches until ctx is done.
func (s *source) writeOutcomes(ctx context.Context) error {
	err := wait.Poll(ctx, writeEvery, func() (bool, error) { return false, s.Record(s.outcomes.take(false)...) })
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// resolve is every record's promise. The sequence is read back from the value, so that a record needs no state of its
// own.
func (s *source) resolve(r *kgo.Record, err error) {
	defer s.pending.Add(-1)
	sequence := history.SequenceOf(r.Value)
	outcome, reason := member.ProduceOutcome(err)
	switch {
	case err != nil:
		s.outcomes.resolve(resolution{outcome: outcome, reason: reason}, r.Partition, sequence)
	case s.unacknowledged:
		s.outcomes.resolve(resolution{outcome: history.OutcomeUnknown, sent: true}, r.Partition, sequence)
	default:
		s.outcomes.ack(r.Partition, sequence, r.Offset)
		s.acked.Add(1)
	}
}

// drain waits until every record has its outcome. An idempotent record whose outcome is unknown ignores its own context,
// so only the flush's deadline ends this.
func (s *source) drain(ctx context.Context) {
	if err := s.kafka.Flush(ctx); err != nil {
		slog.Warn("drain ended early", "pending", s.pending.Load(), "err", err)
	}
}

// close fails what has no outcome yet: with a closed client it is unknown. Promises run on a goroutine of the client.
func (s *source) close() {
	s.cancel()
	s.kafka.Close()
	ctx, cancel := context.WithTimeout(context.Background(), promisesWithin)
	defer cancel()
	if wait.Poll(ctx, time.Millisecond, func() (bool, error) { return s.pending.Load() == 0, nil }) != nil {
		slog.Warn("records without an end are unknown", "records", s.pending.Load())
	}
}

func (s *source) counters() protocol.Counters {
	return protocol.Counters{Intended: uint64(s.intended.Load()), Acked: uint64(s.acked.Load())}
}
