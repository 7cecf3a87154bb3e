package workloads

import (
	"context"
	"time"

	"github.com/chaeos/chaeos/harness/history"
)

// takeOverEvery is how often the second producer takes over from the first.
const takeOverEvery = 3 * time.Second

// twoProducersOneID runs two producers with one transactional id: every three seconds, while the one in charge has a
// whole transaction stored and not yet ended, the other takes the id. The first tries to commit all the same.
//
// It claims exactly-once: the one that took the id last fences the other. The older one's open transaction is aborted,
// its commit is refused, and the newer one reads back that the records are not there and sends them again. It breaks
// below transaction.version 2, where a commit delayed on its way can reach a later transaction.
func twoProducersOneID() Pipeline {
	return Pipeline{
		PipelineInfo: transactionalProducerInfo("two-producers-one-id",
			"two producers that take one transactional id from each other in the middle of transactions",
			"a transaction for each tenth of a second's records and whatever else is due", "a second producer takes the transactional id every 3 s"),
		open: func(stopping context.Context, s spec, hist *history.Writer, _ Pipeline, g *gates) (sender, error) {
			return openTransacting(stopping, s, hist, g, transacting{takeOverEvery: takeOverEvery}), nil
		},
		loop: `two producers, A in charge, B waiting, one transactional id
each 0.1 s or later, whoever is in charge:
  begin; send the records that are due; flush
  -- flushed --
  every 3 s: the other takes the producer id      A is fenced, its transaction aborted
  -- committing --
  commit                                          refused for who is fenced
  -- committed --
  refused: the other reads the topic back, and is in charge`,
		breaksWhen: "never, with transaction.version 2",
		cost:       "each takeover aborts a transaction, and its records are sent twice",
	}
}
