package worker

import (
	"context"
	"log/slog"

	"github.com/chaeos/chaeos/workloads/phase"
)

// WorkAndStore works and produces every record, and returns once all outputs are stored.
func WorkAndStore(ctx context.Context, c *Client, inputs []Input) error {
	var failed Failures
	if err := WorkAndProduce(ctx, c, inputs, &failed); err != nil {
		return err
	}
	return StoreAll(ctx, c, &failed)
}

// WorkAndProduce does the declared work for each record and hands its output to the producer.
func WorkAndProduce(ctx context.Context, c *Client, inputs []Input, failed *Failures) error {
	for _, in := range inputs {
		if err := c.Work(ctx); err != nil {
			return err
		}
		c.Produce(ctx, in, failed.Done)
	}
	return c.Gates.Reach(ctx, phase.Processed, len(inputs))
}

// StoreAll flushes, and produces again what failed until nothing does: no offset is committed past an output that isn't
// stored.
func StoreAll(ctx context.Context, c *Client, failed *Failures) error {
	for {
		if err := c.Flush(ctx); err != nil {
			return err
		}
		again := failed.Take()
		if len(again) == 0 {
			return nil
		}
		slog.Warn("producing again", "records", len(again))
		for _, in := range again {
			c.Produce(ctx, in, failed.Done)
		}
	}
}

// StoreOnce works and produces every record once, and reports whether all outputs are stored in the open transaction.
func StoreOnce(ctx context.Context, c *Client, inputs []Input) (stored bool, err error) {
	var failed Failures
	if err := WorkAndProduce(ctx, c, inputs, &failed); err != nil {
		return false, err
	}
	return Stored(ctx, c, &failed)
}

// Stored flushes, and reports whether everything that was produced is stored.
func Stored(ctx context.Context, c *Client, failed *Failures) (bool, error) {
	err := c.Flush(ctx)
	return len(failed.Take()) == 0, err
}
