package worker

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/workloads/member"
	"github.com/chaeos/chaeos/workloads/phase"
)

// Store does a batch's work inside the open transaction, and reports whether all outputs are stored.
type Store func(ctx context.Context, c *Client, inputs []Input) (stored bool, err error)

// Transactor is the loop of pipelines that wrap each poll in a transaction of a GroupTransactSession.
type Transactor struct {
	// Timeout is the transaction timeout (0: the shared one).
	Timeout time.Duration
	// Before runs after a poll and before its transaction. Inside runs in the transaction, once its outputs are stored.
	Before, Inside func(context.Context) error
	// Options are further options of the client.
	Options []kgo.Opt
	// Gather adds records to a transaction after one poll (nil: none).
	Gather func(context.Context, *Client, []Input) ([]Input, error)
	// Store produces them (nil: StoreOnce).
	Store Store
	// Aborts reports whether the worker's n-th transaction is aborted in any case (nil: never).
	Aborts func(n uint64) bool
}

// Run opens sessions one after the other, each after the one before was lost.
func (t Transactor) Run(ctx context.Context, w *Worker) error {
	timeout := t.Timeout
	if timeout == 0 {
		timeout = w.Spec.Shared.TransactionTimeout
	}
	options := []kgo.Opt{
		kgo.TransactionalID(w.Spec.TransactionalID), kgo.TransactionTimeout(timeout), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
	}
	options = append(options, t.Options...)
	return w.inSessions(ctx, func(ctx context.Context) (*Client, error) {
		return w.openSession(ctx, Opening{Options: options})
	}, t.transact)
}

func (t Transactor) transact(ctx context.Context, c *Client) error {
	for c.Stopping.Err() == nil {
		inputs, err := c.Poll(ctx)
		if err != nil {
			return err
		}
		if len(inputs) == 0 {
			continue
		}
		if t.Gather != nil {
			if inputs, err = t.Gather(ctx, c, inputs); err != nil {
				return err
			}
		}
		if err := maybe(ctx, t.Before); err != nil {
			return err
		}
		if err := t.transaction(ctx, c, inputs); err != nil {
			return err
		}
	}
	return nil
}

// transaction processes a batch in one transaction. It is never ended from a group callback: if partitions left meanwhile,
// the session aborts instead of committing, and rewinds.
func (t Transactor) transaction(ctx context.Context, c *Client, inputs []Input) error {
	if err := c.begin(); err != nil {
		return &member.SessionError{Cause: err}
	}
	c.inHand.Store(int64(len(inputs)))
	store := t.Store
	if store == nil {
		store = StoreOnce
	}
	stored, err := store(ctx, c, inputs)
	if err != nil {
		return err
	}
	if err := maybe(ctx, t.Inside); err != nil {
		return err
	}
	if err := c.Gates.Reach(ctx, phase.Flushed, len(inputs)); err != nil {
		return err
	}
	wanted := t.Aborts == nil || !t.Aborts(c.txn)
	committed, err := c.end(ctx, stored && wanted)
	if err != nil && ctx.Err() == nil {
		return &member.SessionError{Cause: err}
	}
	if err != nil || !committed {
		return err
	}
	return c.Gates.Reach(ctx, phase.Committed, 0)
}

func maybe(ctx context.Context, do func(context.Context) error) error {
	if do == nil {
		return nil
	}
	return do(ctx)
}
