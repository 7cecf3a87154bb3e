package workloads

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
)

// autoCommitSync leaves committing to the client, and finishes everything that a poll returned before the next poll,
// with rebalances held back meanwhile.
//
// It claims at-least-once, and keeps it: kgo commits only what polls before the last one returned, and that is finished.
// A worker that dies repeats everything since the last interval's commit: many duplicates, nothing lost.
func autoCommitSync() Pipeline {
	return Pipeline{
		PipelineInfo: harness.PipelineInfo{
			Name:       "auto-commit-sync",
			Claims:     harness.AtLeastOnce,
			About:      "offsets committed by the client each interval, every poll finished before the next",
			Deviations: []string{"offsets are committed by the client at each auto-commit interval"},
			Phases:     []string{PhasePolled, PhaseProcessed, PhaseFlushed, PhaseCommitting},
		},
		work: func(ctx context.Context, w *worker) error {
			return autoCommitSynchronously(ctx, w, kgo.BlockRebalanceOnPoll())
		},
		options: groupOptionList(),
		loop: `poll                               the client commits each interval what earlier polls returned
-- polled --
work and produce every record
-- processed --
flush
-- flushed --
allow a rebalance
-- committing --                               before each automatic commit`,
		breaksWhen: "never",
		cost:       "up to an interval's records twice when it dies",
	}
}

// autoCommitSynchronously finishes each poll before the next one while the client commits by itself. Greedy commits pass
// what is in hand; the others are always behind it.
func autoCommitSynchronously(ctx context.Context, w *worker, options ...kgo.Opt) (err error) {
	u, a := &unfinished{w: w}, &autoCommits{}
	c, err := w.open(ctx, opening{options: options, beforeRevoke: a.commitReturned, autoCommitted: u.committed})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	for w.stopping.Err() == nil {
		a.returned.set(c.position())
		inputs, err := c.poll(ctx)
		u.took(inputs)
		if err == nil && len(inputs) > 0 {
			err = finish(ctx, c, u, inputs)
		}
		c.kafka.AllowRebalance()
		if err != nil {
			return err
		}
	}
	return a.commitAll(ctx, c)
}

// finish works and produces every record, again until all are stored.
func finish(ctx context.Context, c *client, u *unfinished, inputs []input) error {
	var failed failures
	for _, in := range inputs {
		if err := c.w.work(ctx); err != nil {
			return err
		}
		u.produce(ctx, c, in, failed.done)
	}
	if err := c.w.gates.reach(ctx, PhaseProcessed, len(inputs)); err != nil {
		return err
	}
	if err := storeAll(ctx, c, &failed); err != nil {
		return err
	}
	return c.w.gates.reach(ctx, PhaseFlushed, len(inputs))
}
