package worker

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/workloads/phase"
)

// Batch is what a pipeline does with the records of one poll.
type Batch func(ctx context.Context, c *Client, inputs []Input) error

// Polling is the loop of pipelines that commit by themselves: poll, do the batch, allow a rebalance.
func Polling(do Batch, options ...kgo.Opt) Loop {
	return func(ctx context.Context, w *Worker) (err error) {
		c, err := w.Open(ctx, Opening{Options: append([]kgo.Opt{kgo.DisableAutoCommit()}, options...)})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, c.Close()) }()
		return c.polling(ctx, do)
	}
}

// polling does batches until the worker must stop.
func (c *Client) polling(ctx context.Context, do Batch) error {
	for c.Stopping.Err() == nil {
		inputs, err := c.Poll(ctx)
		if err == nil && len(inputs) > 0 {
			err = do(ctx, c, inputs)
		}
		c.AllowRebalance()
		if err != nil {
			return err
		}
	}
	return nil
}

// FinishAndCommit takes a batch to its commit: work, produce, flush, commit.
func FinishAndCommit(ctx context.Context, c *Client, inputs []Input) error {
	c.inHand.Store(int64(len(inputs)))
	if err := WorkAndStore(ctx, c, inputs); err != nil {
		return err
	}
	if err := c.Gates.Reach(ctx, phase.Flushed, len(inputs)); err != nil {
		return err
	}
	if err := c.Commit(ctx, inputs); err != nil {
		return err
	}
	return c.Gates.Reach(ctx, phase.Committed, 0)
}
