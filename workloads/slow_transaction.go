package workloads

import (
	"context"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/workloads/member"
	"github.com/chaeos/chaeos/workloads/worker"
)

// The options of the pipelines that call something slow.
const (
	optCall  = "call"
	optEvery = "every"
)

// slowTimeout is the transaction timeout of the pipelines with a slow call: far below the most that brokers allow by
// default (15 min), and longer than a call.
const slowTimeout = time.Minute

// slow gives a pipeline that timeout.
func slow(info harness.PipelineInfo) harness.PipelineInfo {
	info.TransactionTimeout = slowTimeout
	return info
}

func slowOptions() member.Options {
	return worker.GroupOptions(
		member.Option{Name: optCall, Default: "5s", About: "how long the external call takes"},
		member.Option{Name: optEvery, Default: "10s", About: "how often a worker makes it"},
	)
}

// slowTransaction makes a slow external call inside its transaction, once its outputs are stored.
//
// It claims exactly-once, and keeps it as long as the call ends before the transaction timeout (one minute here). But
// until the transaction ends, no read_committed reader gets anything after its first record in a partition: the call's
// length is every reader's latency. slow-outside makes the same call before the transaction.
func slowTransaction() Pipeline {
	return Pipeline{
		PipelineInfo: keepingInputOrder(slow(transactionalInfo("slow-transaction",
			"transactional with a slow external call inside the transaction", "transaction.timeout.ms=60000, an external call inside the transaction"))),
		work: func(ctx context.Context, w *worker.Worker) error {
			return worker.Transactor{Timeout: slowTimeout, Inside: slowCall(w)}.Run(ctx, w)
		},
		options: slowOptions(),
		loop: `poll
-- polled --
begin a transaction
work and produce every record
-- processed --
flush
every 10 s: call something for 5 s             the transaction is open meanwhile
-- flushed --
-- committing --
send the offsets into the transaction
-- offsets-sent --
commit
-- committed --`,
		breaksWhen: "never; a call longer than transaction.timeout.ms is aborted for ever",
		cost:       "the call's length added to what every read_committed reader waits for",
	}
}

// slowCall is the external call: slow, once in a while.
func slowCall(w *worker.Worker) func(context.Context) error {
	last, every, call := history.Now(), w.Spec.Duration(optEvery), w.Spec.Duration(optCall)
	return func(ctx context.Context) error {
		if history.Now().Sub(last) < every {
			return nil
		}
		err := wait.Sleep(ctx, call)
		last = history.Now()
		return err
	}
}
