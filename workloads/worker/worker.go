package workloads

import (
	"context"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/wait"
)

// worker is one incarnation of a pipeline's member: what outlives the Kafka clients it opens.
type worker struct {
	spec  spec
	hist  *history.Writer
	tell  *teller
	gates *gates
	// stopping is done when the worker must end in order: no new poll, finish what it holds.
	stopping context.Context //nolint:containedctx // the process's own state, set by a command
	// processed counts confirmed outputs.
	processed atomic.Uint64
	// processing and txn are the last ordinals given; only the polling goroutine touches them.
	processing, txn uint64
	// describe, when set, is shown what the loop opens; nothing is opened then.
	describe func(opened)
}

// kind is what the options make a client.
func (w *worker) kind(consumes, produces bool) kindOfClient {
	var k kindOfClient
	if consumes {
		k |= consuming
	}
	if produces {
		k |= producing
		if p, err := Lookup(w.spec.Pipeline); err == nil && p.Transactional {
			k |= transacts
		}
	}
	return k
}

// input is one record as a poll delivered it.
type input struct {
	history.Input
	partition int32
	offset    int64
	epoch     int32
	// processing is the ordinal of this delivery.
	processing uint64
	// size is the value's size in bytes; the output is padded to it.
	size int
	// delivery is set in a share group: the record as it was handed out, to acknowledge.
	delivery *kgo.Record
}

// work is the declared work every pipeline does for a record.
func (w *worker) work(ctx context.Context) error { return wait.Sleep(ctx, w.spec.Shared.Work) }

// counters is the worker's progress.
func (w *worker) counters() counters { return counters{Processed: w.processed.Load()} }

// record writes history entries, in one system call.
func (w *worker) record(entries ...history.Entry) error {
	if len(entries) == 0 {
		return nil
	}
	return w.hist.Write(entries...)
}
