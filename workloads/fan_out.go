package workloads

import (
	"context"
	"strings"
)

// fanOut writes each input's output to two topics, both in the transaction that commits its position.
//
// It claims exactly-once, in each of the topics and across them: a transaction covers every partition that it wrote to,
// so an input's outputs become visible in both topics or in neither. Not at the same moment: each partition has its own
// marker and its own last stable offset, and a reader of one topic may be given an output before a reader of the other.
// It breaks where transactional breaks.
func fanOut() Pipeline {
	info := transactionalInfo("fan-out", "transactional with an output in each of two topics for every input", "writes to two topics")
	info.Topics = 2
	return Pipeline{
		PipelineInfo: info,
		work: func(ctx context.Context, w *worker) error {
			return (&transactor{w: w, store: storeInAllTopics}).run(ctx)
		},
		options:    groupOptionList(),
		loop:       strings.Replace(loopOfTransactional, "produce every record", "produce every record to both topics", 1),
		breaksWhen: "never, with transaction.version 2 on both sides and read_committed readers",
		cost:       "as transactional, and twice the records and markers",
	}
}

// storeInAllTopics produces every record to each output topic, and says whether all outputs are stored.
func storeInAllTopics(ctx context.Context, c *client, inputs []input) (bool, error) {
	var failed failures
	for _, in := range inputs {
		if err := c.w.work(ctx); err != nil {
			return false, err
		}
		c.produce(ctx, in, failed.done)
		c.produceFurther(ctx, in, failed.done)
	}
	if err := c.w.gates.reach(ctx, PhaseProcessed, len(inputs)); err != nil {
		return false, err
	}
	err := c.flush(ctx)
	return len(failed.take()) == 0, err
}
