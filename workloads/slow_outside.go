package workloads

import (
	"context"

	"github.com/chaeos/chaeos/workloads/worker"
)

// slowOutside makes the same slow external call as slowTransaction, after a poll and before its transaction.
//
// It claims exactly-once. The call delays the worker's own records and no others: no transaction is open meanwhile, so
// readers get everything that other workers and pipelines write.
func slowOutside() Pipeline {
	return Pipeline{
		PipelineInfo: slow(transactionalInfo("slow-outside",
			"transactional with a slow external call before the transaction", "transaction.timeout.ms=60000, an external call before the transaction")),
		work: func(ctx context.Context, w *worker.Worker) error {
			return worker.Transactor{Timeout: slowTimeout, Before: slowCall(w)}.Run(ctx, w)
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
