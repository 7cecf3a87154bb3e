package workloads

// abortingReadUncommitted is aborting, judged as a reader with isolation.level=read_uncommitted sees its output: Kafka's
// default for readers.
//
// Its writer claims exactly-once. The claim breaks at the reader, which gets aborted records like any others: once for
// each transaction that was aborted with them, and once for the one that was committed.
func abortingReadUncommitted() Pipeline {
	p := Pipeline{
		PipelineInfo: transactionalInfo("aborting-read-uncommitted",
			"aborting, its output read with read_uncommitted", "a share of its transactions is aborted, 3 of 10 by default", "its readers use isolation.level=read_uncommitted"),
		work:       abortingLoop,
		options:    abortingOptions(),
		loop:       loopOfAborting,
		breaksWhen: "a transaction is aborted",
		cost:       "as aborting, at its readers",
	}
	p.ReadUncommittedOutput = true
	return p
}
