package workloads

import "github.com/chaeos/chaeos/workloads/worker"

// transactionalManual is the transactional loop by hand, as the Java client's users write it: a consumer and a
// transactional producer of its own, offsets sent into the transaction with the group's member id and generation.
//
// It claims exactly-once: a worker that lost its partitions while it was frozen (a zombie) sends an old generation with
// its offsets, the group coordinator refuses them, and it aborts. On any error both clients are closed and new ones are
// opened, which reads the committed offsets again.
func transactionalManual() Pipeline {
	return Pipeline{
		PipelineInfo: keepingInputOrder(transactionalInfo("transactional-manual",
			"a consumer and a transactional producer of its own; offsets sent with the group's generation")),
		work:       worker.ByHand{Metadata: true}.Run,
		options:    worker.GroupOptions(),
		loop:       loopOfManual("with the group's member id and generation: a zombie's are refused"),
		breaksWhen: "never, with transaction.version 2 and read_committed readers",
		cost:       "a transaction's end for each poll; a new group member after each abort",
	}
}

func loopOfManual(offsets string) string {
	return `poll                                           rebalances are held back
-- polled --
begin a transaction
work and produce every record
-- processed --
flush
-- flushed --
-- committing --
send the offsets into the transaction          ` + offsets + `
-- offsets-sent --
commit
-- committed --
allow a rebalance
on an error: abort, close both clients, open new ones`
}
