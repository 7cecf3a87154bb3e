// Package phase names the moments of a loop at which a fault can make a process wait, and makes it wait there.
package phase

// The phases of a worker's, a source's or the service's loop, in the order in which a loop reaches them.
const (
	// Polled: records were delivered, nothing was done with them.
	Polled = "polled"
	// Halfway: the outputs of one partition are stored in the open transaction, those of the others are not sent yet.
	Halfway = "halfway"
	// Processed: every record's output was handed to the producer, not flushed.
	Processed = "processed"
	// Flushed: every output is stored, no offset was committed. A transaction is still open.
	Flushed = "flushed"
	// Committing: the commit was decided and recorded, nothing of it was sent.
	Committing = "committing"
	// OffsetsSent: the open transaction holds the offsets, its end was not asked for.
	OffsetsSent = "offsets-sent"
	// Committed: the commit is confirmed. Where commits don't wait for the work: one that overtook unfinished records.
	Committed = "committed"
	// Acked: a source's records are acknowledged, its place is not saved.
	Acked = "acked"
	// Checkpointed: a source's place is saved.
	Checkpointed = "checkpointed"
	// Notified: the external service confirmed every record's side effect.
	Notified = "notified"
	// Stored: the external service stored a side effect and did not answer. Its caller waits, too.
	Stored = "stored"
	// Failing: the external service stores each side effect, and then answers with an error. Nothing waits.
	Failing = "failing"
	// Forgetting: at each request the external service forgets all keys, the request's own too. Nothing waits.
	Forgetting = "forgetting"
)
