package workloads

import (
	"context"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// transactionalProducer writes what is due, a tenth of a second's records at least, over several partitions, in one
// transaction, and keeps no position of its own: after a restart, and after every error, it takes its producer id anew
// under the same transactional id and then reads its topic back to see what was committed.
//
// It claims exactly-once, over restarts too: taking the id ends whatever the earlier life left open, so what is read
// back is final. It holds while the transactional id is one producer's (two-producers-one-id shares it on purpose) and
// the topic is read back with read_committed. A reader that isn't read_committed sees aborted records.
func transactionalProducer() Pipeline {
	return Pipeline{
		PipelineInfo: transactionalProducerInfo("transactional-producer",
			"a producer of transactions over several partitions that finds its place by reading back",
			"a transaction for each tenth of a second's records and whatever else is due"),
		open: func(stopping context.Context, s spec, hist *history.Writer, _ Pipeline, g *gates) (sender, error) {
			return openTransacting(stopping, s, hist, g, transacting{}), nil
		},
		loop:       loopOfTransacting,
		breaksWhen: "never, with transaction.version 2 and one producer to a transactional id",
		cost:       "a transaction's end for each block; readers wait for it, and for the timeout of one that is never ended",
	}
}

func transactionalProducerInfo(name, about string, deviations ...string) harness.PipelineInfo {
	return harness.PipelineInfo{
		Name: name, Claims: harness.ExactlyOnce, About: about, ProducerOnly: true, Transactional: true,
		Deviations: deviations,
		Phases:     []string{PhaseFlushed, PhaseCommitting, PhaseCommitted},
	}
}

const loopOfTransacting = `take the producer id of the transactional id      fences and ends what is open
next := highest committed sequence in the topic + 1
each 0.1 s or later:
  begin
  send the records that are due, from next on     to every partition
  flush
  -- flushed --
  -- committing --
  commit                                          on any error: begin at the top again
  -- committed --`
