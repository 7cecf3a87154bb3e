package workloads

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/workloads/member"
	"github.com/chaeos/chaeos/workloads/phase"
	"github.com/chaeos/chaeos/workloads/source"
)

// checkpointEvery is how many blocks (of a tenth of a second each) go between two checkpoints.
const checkpointEvery = 5

// idempotentRestart is an idempotent producer that keeps its own place: it sends half a second's records, waits until all
// are acknowledged, and then writes the next sequence to a file of its own. The next incarnation starts from the file.
//
// It claims exactly-once, because it is idempotent and never loses its place. The claim breaks if it dies between the
// acknowledgement and the checkpoint: the next incarnation has a new producer id, so the brokers can't know that they have
// these records already. Nothing is ever lost. With a transactional id, and a place read from the log
// (transactional-producer), the window is closed.
func idempotentRestart() Pipeline {
	return Pipeline{
		PipelineInfo: harness.PipelineInfo{
			Name:         "idempotent-restart",
			Claims:       harness.ExactlyOnce,
			InOrder:      true,
			About:        "an idempotent producer that resumes from its own checkpoint file after a restart",
			ProducerOnly: true,
			Deviations:   []string{"waits for all acknowledgements before each checkpoint, every 0.5 s"},
			Phases:       []string{phase.Acked, phase.Checkpointed},
		},
		open: func(p *member.Process) (member.Program, error) {
			return source.OpenCheckpointed(p, source.Config{}, checkpointEvery)
		},
		loop: `checkpoint := read(file) or 0
each 0.5 s:
  send the records from checkpoint on     each when it is due
  flush                                   all are acknowledged
  -- acked --
  write(file, next sequence)
  -- checkpointed --`,
		breaksWhen: "it dies after acknowledgements and before its checkpoint",
		cost:       "a stop for acknowledgements at each checkpoint",
	}
}
