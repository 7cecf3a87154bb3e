package workloads

import "github.com/chaeos/chaeos/workloads/worker"

// transactionalNoMetadata is transactionalManual without the group's member id and generation in the request for offsets, like
// programs from before Kafka 2.5 (sendOffsetsToTransaction with only a group's name).
//
// It claims exactly-once. The claim breaks on zombies: a worker that was frozen past its session, while another worked on
// its partitions, still holds an open transaction under its own transactional id. Nothing fences it, the coordinator can't
// know that its offsets are old, and it commits: the same inputs twice.
func transactionalNoMetadata() Pipeline {
	return Pipeline{
		PipelineInfo: transactionalInfo("transactional-no-metadata",
			"transactional by hand, offsets sent without the group's generation",
			"offsets are sent into the transaction without the group's member id and generation"),
		work:       worker.ByHand{}.Run,
		options:    worker.GroupOptions(),
		loop:       loopOfManual("with the group's name only: a zombie's are taken"),
		breaksWhen: "a worker wakes up, after its partitions went to another, with a transaction still open",
		cost:       "as transactional-manual",
	}
}
