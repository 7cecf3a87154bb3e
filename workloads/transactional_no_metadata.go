package workloads

// transactionalNoMetadata is transactionalManual without the group's member id and generation beside the offsets, as
// programs do that were written before Kafka 2.5 (sendOffsetsToTransaction with a group's name only).
//
// It claims exactly-once. It breaks on zombies: a worker that was frozen past its session, and whose partitions another
// one has worked on meanwhile, still holds an open transaction under its own transactional id. Nobody fences it, the
// coordinator can't know that its offsets are old, and it commits: the same inputs twice.
func transactionalNoMetadata() Pipeline {
	return Pipeline{
		PipelineInfo: transactionalInfo("transactional-no-metadata",
			"transactional by hand, offsets sent without the group's generation",
			"offsets are sent into the transaction without the group's member id and generation"),
		work:       byHand{}.run,
		options:    groupOptionList(),
		loop:       loopOfManual("with the group's name only: a zombie's are taken"),
		breaksWhen: "a worker wakes up, after its partitions went to another, with a transaction still open",
		cost:       "as transactional-manual",
	}
}
