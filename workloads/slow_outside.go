package workloads

import "context"

// slowOutside makes the same slow external call as slowTransaction, after a poll and before its transaction.
//
// It claims exactly-once. The call delays the worker's own records and nobody else's: no transaction is open meanwhile,
// so readers are given everything that other workers and pipelines write.
func slowOutside() Pipeline {
	return Pipeline{
		PipelineInfo: transactionalInfo("slow-outside",
			"transactional with a slow external call before the transaction", "transaction.timeout.ms=60000, an external call before the transaction"),
		work: func(ctx context.Context, w *worker) error {
			return (&transactor{w: w, timeout: slowTimeout, before: slowCall(w)}).run(ctx)
		},
		options: slowOptions(),
		loop: `poll
-- polled --
every 10 s: call something for 5 s             no transaction is open
begin a transaction
work and produce every record
-- processed --
flush
-- flushed --
-- committing --
send the offsets into the transaction
-- offsets-sent --
commit
-- committed --`,
		breaksWhen: "never",
		cost:       "the call's length for the records in hand only",
	}
}
