package workloads

import "context"

// notifyInTransaction calls the external service between a Kafka transaction's begin and its end, as if the transaction
// covered the calls. It is transactional-manual with calls in the place of outputs.
//
// It claims exactly-once, because it is transactional. It breaks because a Kafka transaction covers Kafka only: what an
// aborted transaction called for has happened, and is called for again when its records are processed again. Nor does it
// know what became of a call whose answer is lost.
//
// Its transactions hold offsets only, and are written by hand (producerIdentity says why).
func notifyInTransaction() Pipeline {
	info := transactionalInfo("notify-in-transaction",
		"an HTTP call for each record inside the transaction that commits the offsets",
		"the output are effects at an HTTP service; the transaction holds offsets only")
	info.Effects = true
	info.Phases = []string{PhasePolled, PhaseNotified, PhaseCommitting, PhaseOffsetsSent, PhaseCommitted}
	return Pipeline{
		PipelineInfo: info,
		work: byHand{metadata: true, offsetsOnly: true, store: func(ctx context.Context, c *client, inputs []input) (bool, error) {
			return true, newNotifier(c, false).all(ctx, inputs)
		}}.run,
		options: groupOptionList(),
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
		cost:       "as transactional, and every second effect that the claim rules out",
	}
}
