package workloads

import (
	"context"
	"time"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/wait"
)

// The options of the pipelines that call something slow.
const (
	optCall  = "call"
	optEvery = "every"
)

// slowTimeout is the transaction timeout of the pipelines with a slow call: the brokers' largest default (15 min) is far
// above it, and no call is as long.
const slowTimeout = time.Minute

func slowOptions() []Option {
	return groupOptionList(
		Option{Name: optCall, Default: "5s", About: "how long the external call takes"},
		Option{Name: optEvery, Default: "10s", About: "how often a worker makes it"},
	)
}

// slowTransaction makes a slow external call inside its transaction, once its outputs are stored.
//
// It claims exactly-once, and keeps it as long as the call ends before the transaction timeout (one minute here). But
// nothing that comes after the open transaction's first record in a partition can be read with read_committed until it
// ends: the call's length is every reader's latency. slow-outside makes the same call before the transaction.
func slowTransaction() Pipeline {
	return Pipeline{
		PipelineInfo: transactionalInfo("slow-transaction",
			"transactional with a slow external call inside the transaction", "transaction.timeout.ms=60000, an external call inside the transaction"),
		work: func(ctx context.Context, w *worker) error {
			return (&transactor{w: w, timeout: slowTimeout, inside: slowCall(w)}).run(ctx)
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

// slowCall is the external call: it takes its time once in a while.
func slowCall(w *worker) func(context.Context) error {
	last, every, call := history.Now(), w.spec.duration(optEvery), w.spec.duration(optCall)
	return func(ctx context.Context) error {
		if history.Now().Sub(last) < every {
			return nil
		}
		err := wait.Sleep(ctx, call)
		last = history.Now()
		return err
	}
}
