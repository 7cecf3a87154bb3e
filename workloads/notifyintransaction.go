package workloads

import "context"

// notifyInTransaction calls the external service inside a Kafka transaction that commits the offsets, as if the
// transaction covered the call.
//
// It claims exactly-once, because it is transactional. It breaks because a Kafka transaction covers Kafka only: what an
// aborted transaction called for has happened, and is called for again when its records are processed again.
func notifyInTransaction() Pipeline {
	info := transactionalInfo("notify-in-transaction",
		"an HTTP call for each record inside the transaction that commits the offsets",
		"the output are effects at an HTTP service; the transaction holds offsets only")
	info.Effects = true
	info.Phases = []string{PhasePolled, PhaseNotified, PhaseCommitting, PhaseOffsetsSent, PhaseCommitted}
	return Pipeline{
		PipelineInfo: info,
		work: func(ctx context.Context, w *worker) error {
			return (&transactor{w: w, store: func(ctx context.Context, c *client, inputs []input) (bool, error) {
				return true, newNotifier(c, false).all(ctx, inputs)
			}}).run(ctx)
		},
		options: groupOptionList(),
		loop: `poll
-- polled --
begin a transaction
for every record: POST it; no answer in 2 s, or an error: again
-- notified --
-- committing --
send the offsets into the transaction
-- offsets-sent --
commit                                         aborts where partitions left; then rewinds
-- committed --`,
		breaksWhen: "a transaction is aborted after its calls, or a call's answer is lost",
		cost:       "as transactional, and every second effect that the claim rules out",
	}
}
