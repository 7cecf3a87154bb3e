package worker

import (
	"context"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/workloads/member"
	"github.com/chaeos/chaeos/workloads/properties"
	"github.com/chaeos/chaeos/workloads/protocol"
)

// Loop is a pipeline's loop: it works until Worker.Stopping is done, then finishes what it holds, within ctx.
type Loop func(ctx context.Context, w *Worker) error

// Worker is one incarnation of a pipeline's worker: what outlives the Kafka clients that it opens.
type Worker struct {
	*member.Process
	// processed counts confirmed outputs.
	processed atomic.Uint64
	// processing and txn are the last ordinals in use; only the polling goroutine touches them.
	processing, txn uint64
	// describe, if set, is called with what the loop opens; nothing is opened then.
	describe func(properties.Client)
}

// Open makes the program of a worker.
func Open(p *member.Process, loop Loop) member.Program {
	w := &Worker{Process: p}
	return member.Program{Counters: w.counters, Run: func(ctx context.Context) error { return loop(ctx, w) }}
}

// Input is one record as a poll delivered it.
type Input struct {
	history.Input
	Partition int32
	Offset    int64
	Epoch     int32
	// processing is the ordinal of this delivery.
	processing uint64
	// size is the value's size in bytes; the output is padded to it.
	size int
	// delivery is set in a share group: the record to acknowledge.
	delivery *kgo.Record
}

// Work is the declared work that every pipeline does for a record.
func (w *Worker) Work(ctx context.Context) error { return wait.Sleep(ctx, w.Spec.Shared.Work) }

func (w *Worker) counters() protocol.Counters {
	return protocol.Counters{Processed: w.processed.Load()}
}
