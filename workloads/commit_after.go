package workloads

import (
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/workloads/phase"
	"github.com/chaeos/chaeos/workloads/worker"
)

// commitAfter commits after processing, with a producer that isn't idempotent, and lets the group revoke partitions at any
// moment.
//
// It claims at-least-once: the commit comes last. A worker that dies before it, a rebalance in the middle of a batch, and
// every lost answer to a produce request leave duplicates, which the claim allows.
func commitAfter() Pipeline {
	return Pipeline{
		PipelineInfo: harness.PipelineInfo{
			Name:       "commit-after",
			Claims:     harness.AtLeastOnce,
			About:      "offsets committed after processing, idempotence off, rebalances at any moment",
			Deviations: []string{"enable.idempotence=false; rebalances are not held back while a poll is processed"},
			Phases:     []string{phase.Polled, phase.Processed, phase.Flushed, phase.Committing, phase.Committed},
		},
		work:       worker.Polling(worker.FinishAndCommit, kgo.DisableIdempotentWrite()),
		options:    worker.GroupOptions(),
		loop:       loopOfFinishAndCommit,
		breaksWhen: "never",
		cost:       "records twice at deaths, rebalances and lost answers",
	}
}
