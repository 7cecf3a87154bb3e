package workloads

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
)

// commitFirst commits a poll's offsets before it works on the records, and drops those whose commit is not confirmed.
//
// It claims at-most-once: what is worked on is committed already, so nobody is given it again. It loses what a worker
// has committed and not finished when it dies.
func commitFirst() Pipeline {
	return Pipeline{
		PipelineInfo: harness.PipelineInfo{
			Name:   "commit-first",
			Claims: harness.AtMostOnce,
			About:  "offsets committed before processing",
			Phases: []string{PhasePolled, PhaseCommitting, PhaseCommitted, PhaseProcessed},
		},
		work: func(ctx context.Context, w *worker) error {
			return polling(ctx, w, commitAndFinish, kgo.BlockRebalanceOnPoll())
		},
		options: groupOptionList(),
		loop: `poll
-- polled --
-- committing --
commit the offsets, wait             records of a refused commit are dropped
-- committed --
work and produce every record
-- processed --
flush
allow a rebalance`,
		breaksWhen: "never",
		cost:       "a poll's records lost when it dies after the commit",
	}
}

func commitAndFinish(ctx context.Context, c *client, inputs []input) error {
	inputs, err := c.commitAhead(ctx, inputs)
	if err != nil {
		return err
	}
	return workAndStore(ctx, c, inputs)
}
