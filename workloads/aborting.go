package workloads

import (
	"context"

	"github.com/chaeos/chaeos/workloads/member"
	"github.com/chaeos/chaeos/workloads/worker"
)

const optShare = "share"

// aborting is transactional, and aborts a share of its transactions after everything in them was stored, like an
// application that finds a reason at the end. Aborted records are processed again.
//
// It claims exactly-once for readers with read_committed. A reader with read_uncommitted also gets what was aborted: the
// same input several times (aborting-read-uncommitted judges the same log that way).
func aborting() Pipeline {
	return Pipeline{
		PipelineInfo: keepingInputOrder(transactionalInfo("aborting", "transactional, and aborts a share of its transactions", "a share of its transactions is aborted, 3 of 10 by default")),
		work:         abortingLoop,
		options:      abortingOptions(),
		loop:         loopOfAborting,
		breaksWhen:   "its readers don't ask for read_committed",
		cost:         "the aborted share is done again",
	}
}

func abortingOptions() member.Options {
	return worker.GroupOptions(member.Option{Name: optShare, Default: "0.3", About: "the share of transactions that are aborted"})
}

// abortingLoop keeps to the share as closely as whole numbers can, and aborts the same transactions in every run.
func abortingLoop(ctx context.Context, w *worker.Worker) error {
	share := min(w.Spec.Share(optShare), mostAborted)
	aborts := func(n uint64) bool { return uint64(float64(n)*share) > uint64(float64(n-1)*share) }
	return worker.Transactor{Aborts: aborts}.Run(ctx, w)
}

// mostAborted bounds the share, so that a worker makes progress.
const mostAborted = 0.9

const loopOfAborting = `poll
-- polled --
begin a transaction
work and produce every record
-- processed --
flush
-- flushed --
3 times of 10: abort, rewind, poll again
-- committing --
send the offsets into the transaction
-- offsets-sent --
commit
-- committed --`
