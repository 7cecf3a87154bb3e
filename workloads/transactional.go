package workloads

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/workloads/phase"
	"github.com/chaeos/chaeos/workloads/worker"
)

// transactional is consume–process–produce in transactions: kgo.GroupTransactSession, input read_committed, stable
// offsets required (kgo always requires them), one transaction a poll.
//
// It claims exactly-once: outputs and offsets take effect together or not at all, and a successor with the same
// transactional id fences what its predecessor left open. The claim holds as long as client and brokers speak
// transaction.version 2; below that a delayed EndTxn can end a later transaction. A reader that isn't read_committed sees
// aborted outputs.
//
// The program survives faults as a correct user's would. An aborted transaction is processed again from the committed
// offsets. After an error whose outcome is unknown or fatal (fenced, producer id lost) the session is closed and a new one
// begins, which fences the old producer and reads the offsets that really were committed.
func transactional() Pipeline {
	return Pipeline{
		PipelineInfo: keepingInputOrder(transactionalInfo("transactional",
			"poll, produce and commit offsets in one transaction (GroupTransactSession, read_committed)")),
		work:       worker.Transactor{}.Run,
		options:    worker.GroupOptions(),
		loop:       loopOfTransactional,
		breaksWhen: "never, with transaction.version 2 on both sides and read_committed readers",
		cost:       "a transaction's end for each poll; readers wait for it, and for the timeout of one whose worker died",
	}
}

// keepingInputOrder is a transactional pipeline's that commits an input partition's outputs in the order of the inputs: nothing
// is read beyond an offset before what comes before it is committed or read again.
func keepingInputOrder(info harness.PipelineInfo) harness.PipelineInfo {
	info.KeepsInputOrder = true
	return info
}

// transactionalInfo is what pipelines with a transaction around each poll have in common.
func transactionalInfo(name, about string, deviations ...string) harness.PipelineInfo {
	return harness.PipelineInfo{
		Name: name, Claims: harness.ExactlyOnce, About: about, Transactional: true, ReadCommitted: true,
		Deviations: deviations,
		Phases: []string{
			phase.Polled, phase.Processed, phase.Flushed, phase.Committing, phase.OffsetsSent, phase.Committed,
		},
	}
}

const loopOfTransactional = `poll
-- polled --
begin a transaction
work and produce every record
-- processed --
flush
-- flushed --
-- committing --
send the offsets into the transaction          with the group's generation
-- offsets-sent --
commit                                         aborts where partitions left; then rewinds
-- committed --
on an error: a new session under the same transactional id`
