package workloads

import (
	"context"

	"github.com/chaeos/chaeos/workloads/member"
	"github.com/chaeos/chaeos/workloads/worker"
)

// transactionalRandomID is transactional with a new transactional id in each incarnation.
//
// It claims exactly-once. Its offsets carry the group's generation, so the group coordinator refuses a zombie's commit
// although nothing fences its transactional id. That is enough, and the reason why random ids are allowed since Kafka 2.5.
// But nothing ends a dead incarnation's transaction: it stays open until the transaction timeout, and every read_committed
// reader of the partitions that it wrote to waits as long.
func transactionalRandomID() Pipeline {
	return Pipeline{
		PipelineInfo: transactionalInfo("transactional-random-id",
			"transactional with a new transactional id in each incarnation", "transactional.id is new in each incarnation"),
		work: func(ctx context.Context, w *worker.Worker) error {
			w.Spec.TransactionalID = member.NewTransactionalID(w.Spec)
			return worker.Transactor{}.Run(ctx, w)
		},
		options:    worker.GroupOptions(),
		loop:       loopOfTransactional,
		breaksWhen: "never, as long as the group's generation goes with the offsets",
		cost:       "a dead worker's transaction holds readers back for transaction.timeout.ms, also when it comes back at once",
	}
}
