package workloads

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/workloads/phase"
	"github.com/chaeos/chaeos/workloads/service"
	"github.com/chaeos/chaeos/workloads/worker"
)

// notifyThenCommit calls the external service for each record until it confirms, and then commits the offsets.
//
// It claims at-least-once: nothing is committed whose side effect is not confirmed. A side effect comes twice if the worker
// dies before the commit, or if the service did it and its answer was lost, late, or an error: the caller can't know.
func notifyThenCommit() Pipeline {
	return notifyBeforeCommit(harness.PipelineInfo{
		Name: "notify-then-commit", Claims: harness.AtLeastOnce, Effects: true,
		About:      "an HTTP call for each record until it is confirmed, then the offset commit",
		Deviations: []string{"the outputs are side effects at an HTTP service"},
	}, false, "a second side effect at deaths, and at every lost, late or wrong answer")
}

func notifyBeforeCommit(info harness.PipelineInfo, keyed bool, cost string) Pipeline {
	info.Phases = []string{phase.Polled, phase.Notified, phase.Committing, phase.Committed}
	key := ""
	if keyed {
		key = ", with an Idempotency-Key made of the record's identity"
	}
	return Pipeline{
		PipelineInfo: info,
		work: worker.Polling(func(ctx context.Context, c *worker.Client, inputs []worker.Input) error {
			if err := service.NewNotifier(c, keyed).All(ctx, inputs); err != nil {
				return err
			}
			if err := c.Commit(ctx, inputs); err != nil {
				return err
			}
			return c.Gates.Reach(ctx, phase.Committed, 0)
		}, kgo.BlockRebalanceOnPoll()),
		options: worker.GroupOptions(),
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
