package workloads

import (
	"context"
	"errors"
	"log/slog"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/wait"
)

// transactional is consume–process–produce in transactions: kgo.GroupTransactSession, input read_committed, stable
// offsets required (kgo always requires them), one transaction a poll.
//
// It claims exactly-once: outputs and positions take effect together or not at all, and a successor with the same
// transactional id fences what its predecessor left open. It holds as long as client and brokers speak
// transaction.version 2; below that a delayed EndTxn can end a later transaction. A reader that isn't read_committed
// sees aborted outputs.
//
// The program stays alive over faults as a correct user's would: an aborted transaction is processed again from the
// committed positions; after an error whose outcome is unknown or fatal (fenced, producer id lost) the session is
// closed and a new one begins, which fences the old producer and reads the positions that really were committed.
func transactional() Pipeline {
	return Pipeline{
		PipelineInfo: harness.PipelineInfo{
			Name:          "transactional",
			Claims:        harness.ExactlyOnce,
			About:         "poll, produce and commit offsets in one transaction (GroupTransactSession, read_committed)",
			Transactional: true,
			ReadCommitted: true,
			Phases: []string{
				PhasePolled, PhaseProcessed, PhaseFlushed, PhaseCommitting, PhaseOffsetsSent, PhaseCommitted,
			},
		},
		work: transactionalLoop,
	}
}

func transactionalLoop(ctx context.Context, w *worker) error {
	options := []kgo.Opt{
		kgo.TransactionalID(w.spec.TransactionalID),
		kgo.TransactionTimeout(w.spec.Shared.TransactionTimeout),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
	}
	for w.stopping.Err() == nil {
		c, err := w.openSession(ctx, opening{options: options})
		if err != nil {
			return err
		}
		err = transact(ctx, c)
		if herr := c.close(); herr != nil {
			return errors.Join(err, herr)
		}
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

// sessionError says that only a new session can go on.
type sessionError struct{ error }

func (e *sessionError) Unwrap() error { return e.error }

func transact(ctx context.Context, c *client) error {
	for c.w.stopping.Err() == nil {
		inputs, err := c.poll(ctx)
		if err != nil {
			return err
		}
		if len(inputs) == 0 {
			continue
		}
		if err := transaction(ctx, c, inputs); err != nil {
			return err
		}
	}
	return nil
}

// transaction processes one poll's records in one transaction. It is never ended from a group callback: when partitions
// left meanwhile, the session aborts instead of committing and rewinds.
func transaction(ctx context.Context, c *client, inputs []input) error {
	if err := c.begin(); err != nil {
		return &sessionError{err}
	}
	failed, err := workAndProduce(ctx, c, inputs)
	if err != nil {
		return err
	}
	if err := c.w.gates.reach(ctx, PhaseFlushed, len(inputs)); err != nil {
		return err
	}
	committed, err := c.end(ctx, len(failed) == 0)
	if err != nil && ctx.Err() == nil {
		return &sessionError{err}
	}
	if err != nil || !committed {
		return err
	}
	return c.w.gates.reach(ctx, PhaseCommitted, 0)
}
