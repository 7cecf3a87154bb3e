package worker

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/workloads/member"
	"github.com/chaeos/chaeos/workloads/phase"
	"github.com/chaeos/chaeos/workloads/properties"
)

// ByHand is the transactional loop with a consumer and a producer of its own.
type ByHand struct {
	// Metadata is set if offsets are sent with the group's member id and generation.
	Metadata bool
	// OffsetsOnly is set if nothing is produced: the transaction holds the offsets alone.
	OffsetsOnly bool
	// Store does a batch's work (nil: StoreOnce).
	Store Store
}

// Run opens both clients, and new ones each time the session is lost.
func (b ByHand) Run(ctx context.Context, w *Worker) error {
	return w.inSessions(ctx, func(ctx context.Context) (*Client, error) {
		o := Opening{ConsumesOnly: true, Options: []kgo.Opt{
			kgo.DisableAutoCommit(), kgo.BlockRebalanceOnPoll(), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		}}
		if b.OffsetsOnly {
			return w.openWithIdentity(ctx, o)
		}
		return w.openWithProducer(ctx, o)
	}, func(ctx context.Context, c *Client) error { return c.polling(ctx, b.transaction) })
}

// openWithProducer makes a worker's consumer and a transactional producer.
func (w *Worker) openWithProducer(ctx context.Context, o Opening) (*Client, error) {
	options := append(member.ClientOptions(w.Spec), kgo.WithContext(ctx), kgo.TransactionalID(w.Spec.TransactionalID),
		kgo.TransactionTimeout(w.Spec.Shared.TransactionTimeout))
	w.described(properties.Producing|properties.Transacting, options)
	c, err := w.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	c.producer, err = kgo.NewClient(append(options, kgo.WithHooks(&wire{ctx: ctx, c: c}))...)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("kafka producer: %w", err), c.Close())
	}
	// Fetching the producer id now ends what an earlier incarnation left open, before the committed offsets are read.
	if _, _, err := c.producer.ProducerID(ctx); err != nil {
		member.Logged(err)
	}
	return c, nil
}

// transaction processes a batch in one transaction.
func (b ByHand) transaction(ctx context.Context, c *Client, inputs []Input) error {
	if err := c.beginByHand(); err != nil {
		return &member.SessionError{Cause: err}
	}
	if err := c.recordBegin(); err != nil {
		return err
	}
	c.inHand.Store(int64(len(inputs)))
	work := b.Store
	if work == nil {
		work = StoreOnce
	}
	stored, err := work(ctx, c, inputs)
	if err != nil {
		return err
	}
	if err := c.Gates.Reach(ctx, phase.Flushed, len(inputs)); err != nil {
		return err
	}
	return b.end(ctx, c, inputs, stored)
}

// end sends the offsets and ends the transaction. It returns nil only after a commit.
func (b ByHand) end(ctx context.Context, c *Client, inputs []Input, commit bool) error {
	txn := c.txn
	if err := c.Record(append(c.outputs.take(), &history.TxnEnding{Stamp: history.AtNow(), Txn: txn, Commit: commit})...); err != nil {
		return err
	}
	var offsets *history.Committed
	var refused error
	if commit {
		if err := c.Gates.Reach(ctx, phase.Committing, int(c.inHand.Load())); err != nil {
			return err
		}
		offsets, refused = c.sendOffsets(ctx, inputs, b.Metadata)
	}
	commit = commit && refused == nil
	c.ending.reset()
	err := c.endByHand(ctx, commit)
	outcome, reason := member.EndOutcome(err, c.ending.requests.Written())
	if herr := c.Record(endedByHand(txn, commit, offsets, outcome, reason)...); herr != nil {
		return herr
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil || !commit:
		return &member.SessionError{Cause: errors.Join(errAborted, refused, err)}
	}
	return c.Gates.Reach(ctx, phase.Committed, 0)
}

var errAborted = errors.New("the transaction was not committed")

// endedByHand are the entries for the outcome: the offsets are confirmed only with the transaction.
func endedByHand(txn uint64, commit bool, offsets *history.Committed, outcome history.Outcome, reason string) []history.Entry {
	e := &history.TxnEnded{Stamp: history.AtNow(), Txn: txn, Commit: commit, Outcome: outcome, Reason: reason}
	if offsets == nil {
		return []history.Entry{e}
	}
	if commit {
		offsets.Outcome = outcome
	}
	if offsets.Reason == "" {
		offsets.Reason = reason
	}
	return []history.Entry{offsets, e}
}
