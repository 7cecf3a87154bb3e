package workloads

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/workloads/phase"
	"github.com/chaeos/chaeos/workloads/worker"
)

// halvesOverhead is how long a client of these pipelines waits for an answer beyond a request's own timeout: short enough
// for a retry to overtake a request that is held up, within a transaction's timeout.
const halvesOverhead = 1500 * time.Millisecond

// transactionalHalves writes each transaction in two halves, the second to partitions that are new to it, and aborts every
// other transaction.
//
// It claims exactly-once. In this shape a late request does harm: an EndTxn that was held up while its retry passed ends
// the next transaction between its halves. Under transaction.version 2 each end raises the producer's epoch and the late
// request is fenced; below that, the first half is aborted (or committed) alone.
func transactionalHalves() Pipeline {
	return halves("transactional-halves", "transactional in two halves, every other transaction aborted",
		"a late EndTxn ends the next transaction: with transaction.version 1")
}

// halves makes the pipelines of this shape.
func halves(name, about, breaksWhen string, options ...kgo.Opt) Pipeline {
	info := transactionalInfo(name, about, "every other transaction is aborted", "request timeouts are followed by 1.5 s, not 10 s")
	info.Phases = []string{phase.Polled, phase.Halfway, phase.Processed, phase.Flushed, phase.Committing, phase.OffsetsSent, phase.Committed}
	return Pipeline{
		PipelineInfo: info,
		work: worker.Transactor{
			Options: append(options, kgo.RequestTimeoutOverhead(halvesOverhead)),
			Gather:  twoPartitions, Store: storeInHalves, Aborts: func(n uint64) bool { return n%2 == 1 },
		}.Run,
		options: worker.GroupOptions(),
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

// gatherAtMost is how long a worker that has records of one partition waits for those of another. At the end of a run none
// come.
const gatherAtMost = time.Second

// twoPartitions polls on until there are records of two partitions, or no more come. It polls only what is there: a poll
// that is given up might have taken records already.
func twoPartitions(ctx context.Context, c *worker.Client, inputs []worker.Input) ([]worker.Input, error) {
	begun := history.Now()
	for !has(inputs, func(in worker.Input) bool { return in.Partition != inputs[0].Partition }) {
		if history.Now().Sub(begun) > gatherAtMost || c.Stopping.Err() != nil {
			return inputs, nil
		}
		if c.Buffered() == 0 {
			if err := wait.Sleep(ctx, 10*time.Millisecond); err != nil {
				return nil, err
			}
			continue
		}
		more, err := c.Poll(ctx)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, more...)
	}
	return inputs, nil
}

func has(inputs []worker.Input, what func(worker.Input) bool) bool {
	return len(only(inputs, what)) > 0
}

func only(inputs []worker.Input, what func(worker.Input) bool) (out []worker.Input) {
	for _, in := range inputs {
		if what(in) {
			out = append(out, in)
		}
	}
	return out
}

// storeInHalves stores the outputs of one partition, and then those of the others.
func storeInHalves(ctx context.Context, c *worker.Client, inputs []worker.Input) (bool, error) {
	first := func(in worker.Input) bool { return in.Partition == inputs[0].Partition }
	var failed worker.Failures
	for _, in := range only(inputs, first) {
		if err := c.Work(ctx); err != nil {
			return false, err
		}
		c.Produce(ctx, in, failed.Done)
	}
	if err := c.Flush(ctx); err != nil {
		return false, err
	}
	rest := only(inputs, func(in worker.Input) bool { return !first(in) })
	if len(rest) > 0 {
		if err := c.Gates.Reach(ctx, phase.Halfway, len(inputs)); err != nil {
			return false, err
		}
	}
	if err := worker.WorkAndProduce(ctx, c, rest, &failed); err != nil {
		return false, err
	}
	return worker.Stored(ctx, c, &failed)
}
