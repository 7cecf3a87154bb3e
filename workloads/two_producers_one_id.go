package workloads

import (
	"time"

	"github.com/chaeos/chaeos/workloads/member"
	"github.com/chaeos/chaeos/workloads/source"
)

// takeOverEvery is how often the second producer takes over from the first.
const takeOverEvery = 3 * time.Second

// twoProducersOneID runs two producers with one transactional id: every three seconds, while the one in charge has a
// whole transaction stored and not yet ended, the other takes the id. The first tries to commit all the same.
//
// It claims exactly-once: the producer that took the id last fences the other. The older one's open transaction is aborted
// and its commit refused; the newer one reads back that the records are not there, and sends them again. The claim breaks
// below transaction.version 2, where a delayed commit can reach a later transaction.
func twoProducersOneID() Pipeline {
	return Pipeline{
		PipelineInfo: transactionalProducerInfo("two-producers-one-id",
			"two producers that take one transactional id from each other in the middle of transactions",
			"a transaction for each tenth of a second's records and whatever else is due", "a second producer takes the transactional id every 3 s"),
		open: func(p *member.Process) (member.Program, error) {
			return source.OpenTransacting(p, takeOverEvery), nil
		},
		loop: `two producers, A in charge, B waiting, one transactional id
each 0.1 s or later, the one in charge:
  begin; send the records that are due; flush
  -- flushed --
  every 3 s: the other takes the producer id      A is fenced, its transaction aborted
  -- committing --
  commit                                          refused if it is fenced
  -- committed --
  refused: the other reads the topic back, and is in charge`,
		breaksWhen: "never, with transaction.version 2",
		cost:       "each takeover aborts a transaction, and its records are sent twice",
	}
}
