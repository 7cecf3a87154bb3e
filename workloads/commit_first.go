package workloads

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/workloads/phase"
	"github.com/chaeos/chaeos/workloads/worker"
)

// commitFirst commits a poll's offsets before it works on the records, and drops those whose commit is not confirmed.
//
// It claims at-most-once: what is worked on is committed already, so no worker gets it again. When a worker dies, what it
// committed and did not finish is lost.
func commitFirst() Pipeline {
	return Pipeline{
		PipelineInfo: harness.PipelineInfo{
			Name:    "commit-first",
			Claims:  harness.AtMostOnce,
			InOrder: true,
			About:   "offsets committed before processing",
			Phases:  []string{phase.Polled, phase.Committing, phase.Committed, phase.Processed},
		},
		work:    worker.Polling(commitAndFinish, kgo.BlockRebalanceOnPoll()),
		options: worker.GroupOptions(),
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

func commitAndFinish(ctx context.Context, c *worker.Client, inputs []worker.Input) error {
	inputs, err := c.CommitAhead(ctx, inputs)
	if err != nil {
		return err
	}
	return worker.WorkAndStore(ctx, c, inputs)
}
