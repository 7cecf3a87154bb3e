package workloads

import (
	"context"
	"errors"

	"github.com/chaeos/chaeos/harness"
)

// autoCommit is the consumer many people write first: kgo commits by itself each interval what earlier polls returned,
// and the records are handed through a queue to a pool of goroutines that produces without waiting.
//
// It claims at-least-once, as its users believe. It breaks because "returned by a poll" is not "finished": a commit
// passes records that are still queued, and when the worker dies then, nobody processes them again. It takes a backlog
// longer than a commit interval, which any burst makes.
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
			Phases: []string{PhasePolled, PhaseCommitting, PhaseCommitted},
		},
		work:    autoCommitLoop,
		options: groupOptionList(),
		loop: `poll                               the client commits each interval what earlier polls returned
-- polled --
put the records into a queue of 4000
  2 goroutines: take, work, produce            without waiting
-- committing --                               before each automatic commit
-- committed --                                after one that passed unfinished records`,
		breaksWhen: "it dies after a commit that passed records still in its queue",
		cost:       "none while nothing dies",
	}
}

func autoCommitLoop(ctx context.Context, w *worker) (err error) {
	p, a := newPool(w), &autoCommits{}
	p.beforePoll = func(c *client) { a.returned.set(c.position()) }
	c, err := w.open(ctx, opening{beforeRevoke: a.commitReturned, autoCommitted: p.committed})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	if err := p.run(ctx, c); err != nil {
		return err
	}
	return a.commitAll(ctx, c)
}
