package workloads

import (
	"context"
	"strings"

	"github.com/chaeos/chaeos/workloads/phase"
	"github.com/chaeos/chaeos/workloads/worker"
)

// fanOut writes each input's output to two topics, both in the transaction that commits its offset.
//
// It claims exactly-once, in each of the topics and across them: a transaction covers every partition that it wrote to,
// so an input's outputs become visible in both topics or in neither. They don't at the same moment: each partition has its
// own marker and last stable offset, and a reader of one topic may get an output before a reader of the other does. The
// claim breaks where that of transactional breaks.
func fanOut() Pipeline {
	info := keepingInputOrder(transactionalInfo("fan-out", "transactional with an output in each of two topics for every input", "writes to two topics"))
	info.Topics = 2
	return Pipeline{
		PipelineInfo: info,
		work:         worker.Transactor{Store: storeInAllTopics}.Run,
		options:      worker.GroupOptions(),
		loop:         strings.Replace(loopOfTransactional, "produce every record", "produce every record to both topics", 1),
		breaksWhen:   "never, with transaction.version 2 on both sides and read_committed readers",
		cost:         "as transactional, and twice the records and markers",
	}
}

// storeInAllTopics produces every record to each output topic, and reports whether all outputs are stored.
func storeInAllTopics(ctx context.Context, c *worker.Client, inputs []worker.Input) (bool, error) {
	var failed worker.Failures
	for _, in := range inputs {
		if err := c.Work(ctx); err != nil {
			return false, err
		}
		c.Produce(ctx, in, failed.Done)
		c.ProduceFurther(ctx, in, failed.Done)
	}
	if err := c.Gates.Reach(ctx, phase.Processed, len(inputs)); err != nil {
		return false, err
	}
	return worker.Stored(ctx, c, &failed)
}
