package workloads

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/workloads/phase"
	"github.com/chaeos/chaeos/workloads/service"
	"github.com/chaeos/chaeos/workloads/worker"
)

// commitThenNotify commits a poll's offsets and then calls the external service for each record, once.
//
// It claims at-most-once: no worker gets a record again, and its call is never repeated. Its side effect is lost if the
// worker dies after the commit, or if the call does not reach the service.
func commitThenNotify() Pipeline {
	return Pipeline{
		PipelineInfo: harness.PipelineInfo{
			Name: "commit-then-notify", Claims: harness.AtMostOnce, Effects: true,
			About:      "the offset commit, then one HTTP call for each record",
			Phases:     []string{phase.Polled, phase.Committing, phase.Committed, phase.Notified},
			Deviations: []string{"the outputs are side effects at an HTTP service"},
		},
		work:    worker.Polling(commitAndNotify, kgo.BlockRebalanceOnPoll()),
		options: worker.GroupOptions(),
		loop: `poll
-- polled --
-- committing --
commit the offsets, wait                       records of a refused commit are dropped
-- committed --
for every record: POST it, once
-- notified --
allow a rebalance`,
		breaksWhen: "never",
		cost:       "side effects lost at deaths, and with every call that does not arrive",
	}
}

func commitAndNotify(ctx context.Context, c *worker.Client, inputs []worker.Input) error {
	inputs, err := c.CommitAhead(ctx, inputs)
	if err != nil {
		return err
	}
	n := service.NewNotifier(c, false)
	for _, in := range inputs {
		if err := c.Work(ctx); err != nil {
			return err
		}
		_ = n.Once(ctx, in) // never again, whatever the outcome: that is the claim
	}
	if err := c.RecordOutputs(); err != nil {
		return err
	}
	return c.Gates.Reach(ctx, phase.Notified, len(inputs))
}
