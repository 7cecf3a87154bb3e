package workloads

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
)

// autoCommitGreedy is autoCommitSync with kgo's GreedyAutoCommit: each interval commits everything that was polled, what
// is in hand included. Other clients commit like that by default where processing happens off the polling thread.
//
// It claims at-least-once, as its users believe. It breaks when it dies between a commit and the end of the work that
// the commit passed: those records are lost. Records finished after the last commit come twice.
func autoCommitGreedy() Pipeline {
	return Pipeline{
		PipelineInfo: harness.PipelineInfo{
			Name:       "auto-commit-greedy",
			Claims:     harness.AtLeastOnce,
			About:      "offsets of everything polled committed each interval, what is in hand included",
			Deviations: []string{"GreedyAutoCommit: the offsets of everything polled are committed at each auto-commit interval"},
			Phases:     []string{PhasePolled, PhaseProcessed, PhaseFlushed, PhaseCommitting, PhaseCommitted},
		},
		work: func(ctx context.Context, w *worker) error {
			return autoCommitSynchronously(ctx, w, kgo.BlockRebalanceOnPoll(), kgo.GreedyAutoCommit())
		},
		options: groupOptionList(),
		loop: `poll                               the client commits each interval everything that was polled
-- polled --
work and produce every record
-- processed --
flush
-- flushed --
allow a rebalance
-- committing --                               before each automatic commit
-- committed --                                after one that passed unfinished records`,
		breaksWhen: "it dies between a commit and the end of the work in hand",
		cost:       "none while nothing dies",
	}
}
