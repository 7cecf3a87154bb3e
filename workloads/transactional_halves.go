package workloads

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/wait"
)

// halvesOverhead is how long a client of these pipelines waits for an answer beyond a request's own timeout: short enough
// for a retry to overtake a request that is held up, within a transaction's timeout.
const halvesOverhead = 1500 * time.Millisecond

// transactionalHalves writes each transaction in two halves, the second to partitions that are new to it, and aborts every
// other transaction.
//
// It claims exactly-once. Its shape is the one in which a request that comes late does harm: an EndTxn that was held up
// while its retry passed ends the next transaction between its halves. Under transaction.version 2 each end raises the
// producer's epoch and the late request is fenced; below that, the first half is aborted (or committed) alone.
func transactionalHalves() Pipeline {
	return halves("transactional-halves", "transactional in two halves, every other transaction aborted",
		"a late EndTxn ends the next transaction: with transaction.version 1")
}

// transactionalHalvesOldClient is the same with a client that speaks no more than Kafka 3.7 did. It can't ask for
// transaction.version 2, whatever the brokers have.
func transactionalHalvesOldClient() Pipeline {
	p := halves("transactional-halves-old-client", "transactional-halves with a client as old as Kafka 3.7",
		"a late EndTxn ends the next transaction: with any transaction.version", kgo.MaxVersions(kversion.V3_7_0()))
	p.Deviations = append(p.Deviations, "speaks the protocol of Kafka 3.7")
	return p
}

func halves(name, about, breaksWhen string, options ...kgo.Opt) Pipeline {
	info := transactionalInfo(name, about, "every other transaction is aborted", "request timeouts are followed by 1.5 s, not 10 s")
	info.Phases = []string{PhasePolled, PhaseHalfway, PhaseProcessed, PhaseFlushed, PhaseCommitting, PhaseOffsetsSent, PhaseCommitted}
	return Pipeline{
		PipelineInfo: info,
		work: func(ctx context.Context, w *worker) error {
			return (&transactor{
				w: w, options: append(options, kgo.RequestTimeoutOverhead(halvesOverhead)),
				gather: twoPartitions, store: storeInHalves, aborts: func(n uint64) bool { return n%2 == 1 },
			}).run(ctx)
		},
		options: groupOptionList(),
		loop: `poll until there are records of two partitions
-- polled --
begin a transaction
work and produce every record of one partition
flush
-- halfway --
work and produce every record of the others    new to the transaction
-- processed --
flush
-- flushed --
abort, every other time                        then rewinds
-- committing --
send the offsets into the transaction
-- offsets-sent --
commit
-- committed --`,
		breaksWhen: breaksWhen,
		cost:       "half of all transactions, and a flush more in each",
	}
}

// gatherAtMost is how long a worker that has records of one partition waits for those of another: at the end of a run
// there are none.
const gatherAtMost = time.Second

// twoPartitions polls on until there are records of two partitions, or none come any more. It polls only what is there:
// a poll that is given up might have taken records already.
func twoPartitions(ctx context.Context, c *client, inputs []input) ([]input, error) {
	begun := history.Now()
	for !has(inputs, func(in input) bool { return in.partition != inputs[0].partition }) {
		if history.Now().Sub(begun) > gatherAtMost || c.w.stopping.Err() != nil {
			return inputs, nil
		}
		if c.kafka.BufferedFetchRecords() == 0 {
			if err := wait.Sleep(ctx, 10*time.Millisecond); err != nil {
				return nil, err
			}
			continue
		}
		more, err := c.poll(ctx)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, more...)
	}
	return inputs, nil
}

func has(inputs []input, what func(input) bool) bool { return len(only(inputs, what)) > 0 }

func only(inputs []input, what func(input) bool) (out []input) {
	for _, in := range inputs {
		if what(in) {
			out = append(out, in)
		}
	}
	return out
}

// storeInHalves stores the outputs of one partition, and then those of the others.
func storeInHalves(ctx context.Context, c *client, inputs []input) (bool, error) {
	first := func(in input) bool { return in.partition == inputs[0].partition }
	var failed failures
	for _, in := range only(inputs, first) {
		if err := c.w.work(ctx); err != nil {
			return false, err
		}
		c.produce(ctx, in, failed.done)
	}
	if err := c.flush(ctx); err != nil {
		return false, err
	}
	rest := only(inputs, func(in input) bool { return !first(in) })
	if len(rest) > 0 {
		if err := c.w.gates.reach(ctx, PhaseHalfway, len(inputs)); err != nil {
			return false, err
		}
	}
	if err := workAndProduce(ctx, c, rest, &failed); err != nil {
		return false, err
	}
	err := c.flush(ctx)
	return len(failed.take()) == 0, err
}
