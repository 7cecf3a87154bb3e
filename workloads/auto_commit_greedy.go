package workloads

import (
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/workloads/phase"
	"github.com/chaeos/chaeos/workloads/worker"
)

// autoCommitGreedy is autoCommitSync with kgo's GreedyAutoCommit: each interval commits everything that was polled, what
// is in hand included. Other clients commit like that by default where processing happens off the polling thread.
//
// It claims at-least-once, as its users believe. The claim breaks if the worker dies between a commit and the end of the
// work that the commit overtook: those records are lost. Records finished after the last commit come twice.
func autoCommitGreedy() Pipeline {
	return Pipeline{
		PipelineInfo: harness.PipelineInfo{
			Name:       "auto-commit-greedy",
			Claims:     harness.AtLeastOnce,
			InOrder:    true,
			About:      "offsets of everything polled committed each interval, what is in hand included",
			Deviations: []string{"GreedyAutoCommit: the offsets of everything polled are committed at each auto-commit interval"},
			Phases:     []string{phase.Polled, phase.Processed, phase.Flushed, phase.Committing, phase.Committed},
		},
		work:    autoCommitSynchronously(kgo.BlockRebalanceOnPoll(), kgo.GreedyAutoCommit()),
		options: worker.GroupOptions(),
		loop: `poll                               the client commits each interval everything that was polled
-- polled --
work and produce every record
-- processed --
flush
-- flushed --
allow a rebalance
-- committing --                               before each automatic commit
-- committed --                                after one that overtook unfinished records`,
		breaksWhen: "it dies between a commit and the end of the work in hand",
		cost:       "none while nothing dies",
	}
}
