package workloads

import (
	"context"
	"errors"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/workloads/phase"
	"github.com/chaeos/chaeos/workloads/worker"
)

// autoCommit is the consumer many people write first: kgo commits by itself each interval what earlier polls returned,
// and the records are handed through a queue to a pool of goroutines that produces without waiting.
//
// It claims at-least-once, as its users believe. The claim breaks because "returned by a poll" is not "finished": a commit
// overtakes records that are still queued, and if the worker then dies, no worker processes them again. That takes a
// backlog longer than a commit interval, which any burst makes.
func autoCommit() Pipeline {
	return Pipeline{
		PipelineInfo: harness.PipelineInfo{
			Name:   "auto-commit",
			Claims: harness.AtLeastOnce,
			About:  "offsets committed by the client each interval, records handed to a pool of goroutines",
			Deviations: []string{
				"offsets are committed by the client at each auto-commit interval",
				"a pool of 2 goroutines works on a queue of at most 4000 records",
			},
			Phases: []string{phase.Polled, phase.Committing, phase.Committed},
		},
		work:    autoCommitLoop,
		options: worker.GroupOptions(),
		loop: `poll                               the client commits each interval what earlier polls returned
-- polled --
put the records into a queue of 4000
  2 goroutines: take, work, produce            without waiting
-- committing --                               before each automatic commit
-- committed --                                after one that overtook unfinished records`,
		breaksWhen: "it dies after a commit that overtook records still in its queue",
		cost:       "none while nothing dies",
	}
}

func autoCommitLoop(ctx context.Context, w *worker.Worker) (err error) {
	p, a := worker.NewPool(w), &worker.AutoCommits{}
	p.BeforePoll = a.BeforePoll
	c, err := w.Open(ctx, worker.Opening{BeforeRevoke: a.CommitReturned, AutoCommitted: p.Committed})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := p.Run(ctx, c); err != nil {
		return err
	}
	return a.CommitAll(ctx, c)
}
