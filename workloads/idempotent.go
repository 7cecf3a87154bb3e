package workloads

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
)

// idempotent is the careful loop without transactions: poll, work, produce idempotently with acks=all, flush, and only
// then commit the offsets, with rebalances held back from the poll to the commit.
//
// It claims at-least-once: no position is committed before the outputs of everything below it are stored. Where a worker
// dies between flush and commit, its successor processes those records again: duplicates, which the claim allows.
// Idempotence only removes duplicates of the producer's own retries within one incarnation.
func idempotent() Pipeline {
	return Pipeline{
		PipelineInfo: harness.PipelineInfo{
			Name:   "idempotent",
			Claims: harness.AtLeastOnce,
			About:  "poll, produce idempotently with acks=all, flush, then commit the offsets synchronously",
			Phases: []string{PhasePolled, PhaseProcessed, PhaseFlushed, PhaseCommitting, PhaseCommitted},
		},
		work: idempotentLoop,
	}
}

func idempotentLoop(ctx context.Context, w *worker) (err error) {
	c, err := w.open(ctx, opening{options: []kgo.Opt{kgo.DisableAutoCommit(), kgo.BlockRebalanceOnPoll()}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	for w.stopping.Err() == nil {
		inputs, err := c.poll(ctx)
		if err == nil && len(inputs) > 0 {
			err = idempotentPass(ctx, c, inputs)
		}
		c.kafka.AllowRebalance()
		if err != nil {
			return err
		}
	}
	return nil
}

// idempotentPass takes one poll's records through to their commit.
func idempotentPass(ctx context.Context, c *client, inputs []input) error {
	failed, err := workAndProduce(ctx, c, inputs)
	if err != nil {
		return err
	}
	for len(failed) > 0 { // never commit past an output that isn't stored
		slog.Warn("producing again", "records", len(failed))
		if failed, err = produceAndFlush(ctx, c, failed); err != nil {
			return err
		}
	}
	if err := c.w.gates.reach(ctx, PhaseFlushed, len(inputs)); err != nil {
		return err
	}
	if err := c.commit(ctx, inputs); err != nil {
		return err
	}
	return c.w.gates.reach(ctx, PhaseCommitted, 0)
}

// failures collects the records whose produce did not succeed.
type failures struct {
	mu     sync.Mutex
	inputs []input
}

func (f *failures) done(in input, err error) {
	if err == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.inputs = append(f.inputs, in)
}

// workAndProduce does the declared work for each record and produces it, then flushes. It returns those that failed.
func workAndProduce(ctx context.Context, c *client, inputs []input) ([]input, error) {
	var failed failures
	for _, in := range inputs {
		if err := c.w.work(ctx); err != nil {
			return nil, err
		}
		c.produce(ctx, in, failed.done)
	}
	if err := c.w.gates.reach(ctx, PhaseProcessed, len(inputs)); err != nil {
		return nil, err
	}
	err := c.flush(ctx)
	return failed.inputs, err // read after the flush: until then promises add to it
}

func produceAndFlush(ctx context.Context, c *client, inputs []input) ([]input, error) {
	var failed failures
	for _, in := range inputs {
		c.produce(ctx, in, failed.done)
	}
	err := c.flush(ctx)
	return failed.inputs, err
}
