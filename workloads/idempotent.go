package workloads

import (
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/workloads/phase"
	"github.com/chaeos/chaeos/workloads/worker"
)

// idempotent is the careful loop without transactions: poll, work, produce idempotently with acks=all, flush, and only
// then commit the offsets, with rebalances held back from the poll to the commit.
//
// It claims at-least-once: no offset is committed before the outputs of everything below it are stored. If a worker dies
// between flush and commit, its successor processes those records again: duplicates, which the claim allows. Idempotence
// removes only the duplicates of the producer's own retries within one incarnation.
func idempotent() Pipeline {
	return Pipeline{
		PipelineInfo: harness.PipelineInfo{
			Name:    "idempotent",
			Claims:  harness.AtLeastOnce,
			InOrder: true,
			About:   "poll, produce idempotently with acks=all, flush, then commit the offsets synchronously",
			Phases:  []string{phase.Polled, phase.Processed, phase.Flushed, phase.Committing, phase.Committed},
		},
		work:       worker.Polling(worker.FinishAndCommit, kgo.BlockRebalanceOnPoll()),
		options:    worker.GroupOptions(),
		loop:       loopOfFinishAndCommit + "\nallow a rebalance",
		breaksWhen: "never",
		cost:       "a poll's records twice when it dies between flush and commit",
	}
}

const loopOfFinishAndCommit = `poll
-- polled --
work and produce every record
-- processed --
flush
-- flushed --
-- committing --
commit the offsets, wait
-- committed --`
