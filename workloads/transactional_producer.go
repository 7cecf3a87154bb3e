package workloads

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/workloads/member"
	"github.com/chaeos/chaeos/workloads/phase"
	"github.com/chaeos/chaeos/workloads/source"
)

// transactionalProducer writes what is due, a tenth of a second's records at least, over several partitions, in one
// transaction. It keeps no place of its own: after a restart, and after every error, it takes a producer id under the same
// transactional id and then reads its topic back to see what was committed.
//
// It claims exactly-once, also over restarts: taking the id ends whatever the earlier incarnation left open, so what is
// read back is final. The claim holds while only one producer uses the transactional id (two-producers-one-id shares it on
// purpose) and the topic is read back with read_committed. A reader that isn't read_committed sees aborted records.
func transactionalProducer() Pipeline {
	return Pipeline{
		PipelineInfo: transactionalProducerInfo("transactional-producer",
			"a producer of transactions over several partitions that finds its place by reading back",
			"a transaction for each tenth of a second's records and whatever else is due"),
		open: func(p *member.Process) (member.Program, error) {
			return source.OpenTransacting(p, 0), nil
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
		Phases:     []string{phase.Flushed, phase.Committing, phase.Committed},
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
