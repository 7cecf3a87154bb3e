package workloads

import "context"

const optShare = "share"

// aborting is transactional, and aborts a share of its transactions after everything in them was stored, as an
// application does that finds at the end that it doesn't want what it did. Aborted records are processed again.
//
// It claims exactly-once for readers with read_committed. A reader with read_uncommitted is given what was aborted too:
// the same input several times (aborting-read-uncommitted judges the same log that way).
func aborting() Pipeline {
	return Pipeline{
		PipelineInfo: transactionalInfo("aborting", "transactional, and aborts three transactions of ten", "3 of 10 transactions are aborted"),
		work:         abortingLoop,
		options:      abortingOptions(),
		loop:         loopOfAborting,
		breaksWhen:   "its readers don't ask for read_committed",
		cost:         "the aborted share is done again",
	}
}

func abortingOptions() []Option {
	return groupOptionList(Option{Name: optShare, Default: "0.3", About: "the share of transactions that are aborted"})
}

// abortingLoop aborts so that the share is met as closely as whole numbers can, the same in every run.
func abortingLoop(ctx context.Context, w *worker) error {
	share := min(w.spec.share(optShare), mostAborted)
	aborts := func(n uint64) bool { return uint64(float64(n)*share) > uint64(float64(n-1)*share) }
	return (&transactor{w: w, aborts: aborts}).run(ctx)
}

// mostAborted keeps a worker from aborting for ever.
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
