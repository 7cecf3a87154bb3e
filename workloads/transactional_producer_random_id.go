package workloads

import (
	"github.com/chaeos/chaeos/workloads/member"
	"github.com/chaeos/chaeos/workloads/source"
)

// transactionalProducerRandomID is transactionalProducer with a new transactional id in each incarnation, like applications
// that put a host's or a container's name into it.
//
// It claims exactly-once. The claim breaks because nothing fences the earlier incarnation. Its open transaction stays open,
// and holds back every read_committed reader, until the transaction timeout. A commit that it had already asked for may
// take effect after its successor read its place back, and then the same records are there twice.
func transactionalProducerRandomID() Pipeline {
	return Pipeline{
		PipelineInfo: transactionalProducerInfo("transactional-producer-random-id",
			"the transactional producer with a new transactional id in each incarnation",
			"a transaction for each tenth of a second's records and whatever else is due", "transactional.id is new in each incarnation"),
		open: func(p *member.Process) (member.Program, error) {
			p.Spec.TransactionalID = member.NewTransactionalID(p.Spec)
			return source.OpenTransacting(p, 0), nil
		},
		loop:       loopOfTransacting,
		breaksWhen: "a commit of an earlier incarnation takes effect after the new one read its place back",
		cost:       "an earlier incarnation's open transaction holds readers back for transaction.timeout.ms",
	}
}
