package source

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/workloads/member"
)

// reopenPause is the wait before a lost session is replaced.
const reopenPause = 200 * time.Millisecond

// transacting is a source that writes what is due, a tenth of a second's records at least, in one transaction. It keeps
// no place of its own: each new session reads it back from the topic.
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
	// ends counts the requests to end the open transaction.
	ends member.EndRequests
}

// OpenTransacting makes the program of a source that writes in transactions. Every takeOverEvery (0: never) a second
// producer takes the transactional id.
func OpenTransacting(p *member.Process, takeOverEvery time.Duration) member.Program {
	t := &transacting{takeOverEvery: takeOverEvery, source: &source{
		Process: p, outcomes: outcomes{stride: uint64(p.Spec.Partitions)}, next: p.Spec.First, cancel: func() {},
	}}
	return t.program(t.run)
}

// run sends until the source must stop.
func (t *transacting) run(ctx context.Context) error {
	return t.writingOutcomes(ctx, func() error {
		t.pace, t.tookOver = newPace(history.Now(), t.Spec.Load), history.Now()
		err := t.sessions(ctx)
		if t.rival != nil {
			t.rival.Close()
		}
		if ctx.Err() != nil {
			return nil // out of time: what is open stays unknown
		}
		return err
	})
}

// sessions opens producers one after the other, each after the one before was lost.
func (t *transacting) sessions(ctx context.Context) error {
	for t.Stopping.Err() == nil || t.open != nil {
		err := t.session(ctx)
		var lost *member.SessionError
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

// session takes the id, finds the place and sends until it is lost or must stop.
func (t *transacting) session(ctx context.Context) error {
	kafka, err := t.inCharge(ctx)
	if err != nil {
		return err
	}
	defer kafka.Close()
	t.kafka = kafka
	next, err := t.readBack(ctx)
	if err != nil {
		return &member.SessionError{Cause: err}
	}
	t.resume(next)
	for t.open != nil || t.Stopping.Err() == nil {
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
	k, err := kgo.NewClient(append(TransactionalOptions(t.Spec), kgo.WithContext(ctx), kgo.WithHooks(&t.ends))...)
	if err != nil {
		return nil, fmt.Errorf("kafka client: %w", err)
	}
	if _, _, err := k.ProducerID(ctx); err != nil {
		k.Close()
		return nil, &member.SessionError{Cause: fmt.Errorf("producer id: %w", err)}
	}
	return k, nil
}

// maybeTakenOver lets a rival take the id, if it is time for that.
func (t *transacting) maybeTakenOver(ctx context.Context) error {
	if t.takeOverEvery == 0 || history.Now().Sub(t.tookOver) < t.takeOverEvery {
		return nil
	}
	rival, err := t.take(ctx)
	if err != nil {
		return err
	}
	t.rival, t.tookOver = rival, history.Now()
	return nil
}
