package workloads

import "github.com/chaeos/chaeos/harness"

// notifyIdempotencyKey is notifyThenCommit with an Idempotency-Key header that is the same whenever the same record is
// processed, and a service that honours it.
//
// It claims exactly-once: the call is repeated until it is confirmed, and the service does nothing for a key that it has
// seen. The claim holds as long as the key is the record's own (not a new one for each call), and the service keeps keys
// durably, together with their side effects, for longer than a record can come again.
func notifyIdempotencyKey() Pipeline {
	p := notifyBeforeCommit(harness.PipelineInfo{
		Name: "notify-idempotency-key", Claims: harness.ExactlyOnce, Effects: true,
		About:      "an HTTP call with an Idempotency-Key for each record until it is confirmed, then the offset commit",
		Deviations: []string{"the outputs are side effects at an HTTP service that honours an Idempotency-Key"},
	}, true, "the service has to remember every key")
	p.breaksWhen = "the service forgets a key before the record comes again"
	return p
}
