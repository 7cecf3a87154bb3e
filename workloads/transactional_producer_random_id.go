package workloads

import (
	"context"

	"github.com/chaeos/chaeos/harness/history"
)

// transactionalProducerRandomID is transactionalProducer with a new transactional id in each life, as applications have
// that put a host's or a container's name into it.
//
// It claims exactly-once. It breaks because nothing fences the earlier life: its open transaction stays open, and holds
// back every read_committed reader, until the transaction timeout; and a commit that the earlier life had already asked
// for may take effect after the new life read its place back, and then the same records are there twice.
func transactionalProducerRandomID() Pipeline {
	return Pipeline{
		PipelineInfo: transactionalProducerInfo("transactional-producer-random-id",
			"the transactional producer with a new transactional id in each life",
			"a transaction for each tenth of a second's records and whatever else is due", "transactional.id is new in each life"),
		open: func(stopping context.Context, s spec, hist *history.Writer, _ Pipeline, g *gates) (sender, error) {
			s.TransactionalID = newID(s)
			return openTransacting(stopping, s, hist, g, transacting{}), nil
		},
		loop:       loopOfTransacting,
		breaksWhen: "a commit of an earlier life takes effect after the new one read its place back",
		cost:       "an earlier life's open transaction holds readers back for transaction.timeout.ms",
	}
}
