package workloads

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
)

// notifyThenCommit calls the external service for each record until it confirms, and then commits the offsets.
//
// It claims at-least-once: nothing is committed whose effect is not confirmed. An effect comes twice when the worker dies
// before the commit, and when the service did it and its answer was lost, late, or an error: the caller can't know.
func notifyThenCommit() Pipeline {
	return notifyBeforeCommit(harness.PipelineInfo{
		Name: "notify-then-commit", Claims: harness.AtLeastOnce, Effects: true,
		About:      "an HTTP call for each record until it is confirmed, then the offset commit",
		Deviations: []string{"the output are effects at an HTTP service"},
	}, false, "a second effect at deaths, and at every lost, late or wrong answer")
}

func notifyBeforeCommit(info harness.PipelineInfo, keyed bool, cost string) Pipeline {
	info.Phases = []string{PhasePolled, PhaseNotified, PhaseCommitting, PhaseCommitted}
	key := ""
	if keyed {
		key = ", with an Idempotency-Key made of the record's identity"
	}
	return Pipeline{
		PipelineInfo: info,
		work: func(ctx context.Context, w *worker) error {
			return polling(ctx, w, func(ctx context.Context, c *client, inputs []input) error {
				if err := newNotifier(c, keyed).all(ctx, inputs); err != nil {
					return err
				}
				if err := c.commit(ctx, inputs); err != nil {
					return err
				}
				return c.w.gates.reach(ctx, PhaseCommitted, 0)
			}, kgo.BlockRebalanceOnPoll())
		},
		options: groupOptionList(),
		loop: `poll
-- polled --
for every record: POST it` + key + `; no answer in 2 s, or an error: again
-- notified --
-- committing --
commit the offsets, wait
-- committed --
allow a rebalance`,
		breaksWhen: "never",
		cost:       cost,
	}
}
