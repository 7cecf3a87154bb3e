package workloads

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
)

// commitThenNotify commits a poll's offsets and then calls the external service for each record, once.
//
// It claims at-most-once: a record is never given to anyone again, and its call is never repeated. Its effect is lost when
// the worker dies after the commit, and when a call does not reach the service.
func commitThenNotify() Pipeline {
	return Pipeline{
		PipelineInfo: harness.PipelineInfo{
			Name: "commit-then-notify", Claims: harness.AtMostOnce, Effects: true,
			About:      "the offset commit, then one HTTP call for each record",
			Phases:     []string{PhasePolled, PhaseCommitting, PhaseCommitted, PhaseNotified},
			Deviations: []string{"the output are effects at an HTTP service"},
		},
		work: func(ctx context.Context, w *worker) error {
			return polling(ctx, w, commitAndNotify, kgo.BlockRebalanceOnPoll())
		},
		options: groupOptionList(),
		loop: `poll
-- polled --
-- committing --
commit the offsets, wait                       records of a refused commit are dropped
-- committed --
for every record: POST it, once
-- notified --
allow a rebalance`,
		breaksWhen: "never",
		cost:       "effects lost at deaths, and with every call that does not arrive",
	}
}

func commitAndNotify(ctx context.Context, c *client, inputs []input) error {
	inputs, err := c.commitAhead(ctx, inputs)
	if err != nil {
		return err
	}
	n := newNotifier(c, false)
	for _, in := range inputs {
		if err := c.w.work(ctx); err != nil {
			return err
		}
		_ = n.once(ctx, in) // never again, whatever became of it: that is the claim
	}
	if err := c.recordOutputs(); err != nil {
		return err
	}
	return c.w.gates.reach(ctx, PhaseNotified, len(inputs))
}
