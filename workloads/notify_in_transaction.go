package workloads

import (
	"context"

	"github.com/chaeos/chaeos/workloads/phase"
	"github.com/chaeos/chaeos/workloads/service"
	"github.com/chaeos/chaeos/workloads/worker"
)

// notifyInTransaction calls the external service between a Kafka transaction's begin and its end, as if the transaction
// covered the calls. It is transactional-manual with calls in the place of outputs.
//
// It claims exactly-once, because it is transactional. The claim breaks because a Kafka transaction covers Kafka only: the
// calls of an aborted transaction have happened, and are made again when its records are processed again. Nor does it
// know the outcome of a call whose answer is lost.
//
// Its transactions hold offsets only, and are written by hand (worker/offsets_transaction.go says why).
func notifyInTransaction() Pipeline {
	info := transactionalInfo("notify-in-transaction",
		"an HTTP call for each record inside the transaction that commits the offsets",
		"the outputs are side effects at an HTTP service; the transaction holds offsets only")
	info.Effects = true
	info.Phases = []string{phase.Polled, phase.Notified, phase.Committing, phase.OffsetsSent, phase.Committed}
	return Pipeline{
		PipelineInfo: info,
		work: worker.ByHand{Metadata: true, OffsetsOnly: true, Store: func(ctx context.Context, c *worker.Client, inputs []worker.Input) (bool, error) {
			return true, service.NewNotifier(c, false).All(ctx, inputs)
		}}.Run,
		options: worker.GroupOptions(),
		loop: `poll                                           rebalances are held back
-- polled --
begin a transaction
for every record: POST it; no answer in 2 s, or an error: again
-- notified --
-- committing --
send the offsets into the transaction          with the group's member id and generation
-- offsets-sent --
commit
-- committed --
allow a rebalance
on an error: abort, close both clients, open new ones`,
		breaksWhen: "a worker dies, or its transaction is aborted, after the calls; or a call's answer is lost",
		cost:       "as transactional, and every second side effect, which the claim rules out",
	}
}
