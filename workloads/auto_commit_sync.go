package workloads

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/workloads/phase"
	"github.com/chaeos/chaeos/workloads/worker"
)

// autoCommitSync leaves committing to the client, and finishes everything that a poll returned before the next poll,
// with rebalances held back meanwhile.
//
// It claims at-least-once, and keeps it: kgo commits only what polls before the last one returned, and that is finished.
// After a worker's death everything since the last interval's commit is repeated: many duplicates, nothing lost.
func autoCommitSync() Pipeline {
	return Pipeline{
		PipelineInfo: harness.PipelineInfo{
			Name:       "auto-commit-sync",
			Claims:     harness.AtLeastOnce,
			InOrder:    true,
			About:      "offsets committed by the client each interval, every poll finished before the next",
			Deviations: []string{"offsets are committed by the client at each auto-commit interval"},
			Phases:     []string{phase.Polled, phase.Processed, phase.Flushed, phase.Committing},
		},
		work:    autoCommitSynchronously(kgo.BlockRebalanceOnPoll()),
		options: worker.GroupOptions(),
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

// autoCommitSynchronously finishes each poll before the next one while the client commits by itself. Greedy commits
// overtake what is in hand; the others are always behind it.
func autoCommitSynchronously(options ...kgo.Opt) worker.Loop {
	return func(ctx context.Context, w *worker.Worker) (err error) {
		u, a := worker.NewUnfinished(w), &worker.AutoCommits{}
		c, err := w.Open(ctx, worker.Opening{Options: options, BeforeRevoke: a.CommitReturned, AutoCommitted: u.Committed})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, c.Close()) }()
		for w.Stopping.Err() == nil {
			a.BeforePoll(c)
			inputs, err := c.Poll(ctx)
			u.Took(inputs)
			if err == nil && len(inputs) > 0 {
				err = finish(ctx, c, u, inputs)
			}
			c.AllowRebalance()
			if err != nil {
				return err
			}
		}
		return a.CommitAll(ctx, c)
	}
}

// finish works and produces every record, again until all are stored.
func finish(ctx context.Context, c *worker.Client, u *worker.Unfinished, inputs []worker.Input) error {
	var failed worker.Failures
	for _, in := range inputs {
		if err := c.Work(ctx); err != nil {
			return err
		}
		u.Produce(ctx, c, in, failed.Done)
	}
	if err := c.Gates.Reach(ctx, phase.Processed, len(inputs)); err != nil {
		return err
	}
	if err := worker.StoreAll(ctx, c, &failed); err != nil {
		return err
	}
	return c.Gates.Reach(ctx, phase.Flushed, len(inputs))
}
