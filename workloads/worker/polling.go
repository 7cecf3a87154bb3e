package workloads

import (
	"context"
	"errors"
	"log/slog"

	"github.com/twmb/franz-go/pkg/kgo"
)

// pass is what a pipeline does with one poll's records.
type pass func(ctx context.Context, c *client, inputs []input) error

// polling is the loop of pipelines that commit by themselves: a pass for each poll.
func polling(ctx context.Context, w *worker, do pass, options ...kgo.Opt) (err error) {
	c, err := w.open(ctx, opening{options: append([]kgo.Opt{kgo.DisableAutoCommit()}, options...)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	for w.stopping.Err() == nil {
		inputs, err := c.poll(ctx)
		if err == nil && len(inputs) > 0 {
			err = do(ctx, c, inputs)
		}
		c.kafka.AllowRebalance()
		if err != nil {
			return err
		}
	}
	return nil
}

// finishAndCommit takes one poll's records through to their commit: work, produce, flush, commit.
func finishAndCommit(ctx context.Context, c *client, inputs []input) error {
	if err := workAndStore(ctx, c, inputs); err != nil {
		return err
	}
	if err := c.w.gates.reach(ctx, PhaseFlushed, len(inputs)); err != nil {
		return err
	}
	if err := c.commit(ctx, inputs); err != nil {
		return err
	}
	return c.w.gates.reach(ctx, PhaseCommitted, 0)
}

// workAndStore works and produces every record, and returns once all outputs are stored.
func workAndStore(ctx context.Context, c *client, inputs []input) error {
	var failed failures
	if err := workAndProduce(ctx, c, inputs, &failed); err != nil {
		return err
	}
	return storeAll(ctx, c, &failed)
}

// workAndProduce does the declared work for each record and hands its output to the producer.
func workAndProduce(ctx context.Context, c *client, inputs []input, failed *failures) error {
	for _, in := range inputs {
		if err := c.w.work(ctx); err != nil {
			return err
		}
		c.produce(ctx, in, failed.done)
	}
	return c.w.gates.reach(ctx, PhaseProcessed, len(inputs))
}

// storeAll flushes, and produces again what failed until nothing does: a position is never committed past an output that
// isn't stored.
func storeAll(ctx context.Context, c *client, failed *failures) error {
	for {
		if err := c.flush(ctx); err != nil {
			return err
		}
		again := failed.take()
		if len(again) == 0 {
			return nil
		}
		slog.Warn("producing again", "records", len(again))
		for _, in := range again {
			c.produce(ctx, in, failed.done)
		}
	}
}
