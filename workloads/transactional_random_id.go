package workloads

import "context"

// transactionalRandomID is transactional with a new transactional id in each life.
//
// It claims exactly-once. Its offsets carry the group's generation, so a zombie's commit is refused by the group
// coordinator although nobody fences its transactional id: that is enough, and why random ids are allowed since Kafka
// 2.5. What is missing is the end of a dead life's transaction: it stays open until the transaction timeout, and every
// read_committed reader of what it wrote to waits as long.
func transactionalRandomID() Pipeline {
	return Pipeline{
		PipelineInfo: transactionalInfo("transactional-random-id",
			"transactional with a new transactional id in each life", "transactional.id is new in each life"),
		work: func(ctx context.Context, w *worker) error {
			w.spec.TransactionalID = newID(w.spec)
			return (&transactor{w: w}).run(ctx)
		},
		options:    groupOptionList(),
		loop:       loopOfTransactional,
		breaksWhen: "never, as long as the group's generation goes with the offsets",
		cost:       "a dead worker's transaction holds readers back for transaction.timeout.ms, also when it comes back at once",
	}
}
