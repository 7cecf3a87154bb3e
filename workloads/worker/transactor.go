package workloads

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness/wait"
)

// transactor is the loop of pipelines that wrap each poll in a transaction of a GroupTransactSession.
type transactor struct {
	w *worker
	// timeout is the transaction timeout (0: the shared one).
	timeout time.Duration
	// before runs after a poll and before its transaction, inside once its outputs are stored and before its end.
	before, inside func(context.Context) error
	// options are more of the client's, gather takes more records into a transaction than one poll brought, and store
	// produces them (nil: each once).
	options []kgo.Opt
	gather  func(context.Context, *client, []input) ([]input, error)
	store   func(context.Context, *client, []input) (stored bool, err error)
	// aborts says whether the worker's n-th transaction is aborted whatever became of it.
	aborts func(n uint64) bool
}

// run opens sessions one after the other, each after the one before was lost.
func (t *transactor) run(ctx context.Context) error {
	timeout := t.timeout
	if timeout == 0 {
		timeout = t.w.spec.Shared.TransactionTimeout
	}
	options := []kgo.Opt{
		kgo.TransactionalID(t.w.spec.TransactionalID), kgo.TransactionTimeout(timeout), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
	}
	options = append(options, t.options...)
	return t.w.inSessions(ctx, func(ctx context.Context) (*client, error) {
		return t.w.openSession(ctx, opening{options: options})
	}, t.transact)
}

// inSessions opens a client and works with it until the worker must stop, anew each time the session is lost.
func (w *worker) inSessions(ctx context.Context, open func(context.Context) (*client, error), do func(context.Context, *client) error) error {
	for w.stopping.Err() == nil {
		c, err := open(ctx)
		if err != nil {
			return err
		}
		err = do(ctx, c)
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

func (t *transactor) transact(ctx context.Context, c *client) error {
	for c.w.stopping.Err() == nil {
		inputs, err := c.poll(ctx)
		if err != nil {
			return err
		}
		if len(inputs) == 0 {
			continue
		}
		if t.gather != nil {
			if inputs, err = t.gather(ctx, c, inputs); err != nil {
				return err
			}
		}
		if t.before != nil {
			if err := t.before(ctx); err != nil {
				return err
			}
		}
		if err := t.transaction(ctx, c, inputs); err != nil {
			return err
		}
	}
	return nil
}

// transaction processes one poll's records in one transaction. It is never ended from a group callback: when partitions
// left meanwhile, the session aborts instead of committing and rewinds.
func (t *transactor) transaction(ctx context.Context, c *client, inputs []input) error {
	if err := c.begin(); err != nil {
		return &sessionError{err}
	}
	produce := t.store
	if produce == nil {
		produce = store
	}
	stored, err := produce(ctx, c, inputs)
	if err != nil {
		return err
	}
	if t.inside != nil {
		if err := t.inside(ctx); err != nil {
			return err
		}
	}
	if err := c.w.gates.reach(ctx, PhaseFlushed, len(inputs)); err != nil {
		return err
	}
	wanted := t.aborts == nil || !t.aborts(c.w.txn)
	committed, err := c.end(ctx, stored && wanted)
	if err != nil && ctx.Err() == nil {
		return &sessionError{err}
	}
	if err != nil || !committed {
		return err
	}
	return c.w.gates.reach(ctx, PhaseCommitted, 0)
}

// store works and produces every record once, and says whether all outputs are stored in the open transaction.
func store(ctx context.Context, c *client, inputs []input) (bool, error) {
	var failed failures
	if err := workAndProduce(ctx, c, inputs, &failed); err != nil {
		return false, err
	}
	err := c.flush(ctx)
	return len(failed.take()) == 0, err
}
