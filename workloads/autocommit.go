package workloads

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
)

const (
	autoCommitPool  = 2
	autoCommitQueue = 4000
	// autoCommitFlush bounds the flush that makes the number of held records exact while the worker waits to be killed.
	autoCommitFlush = 2 * time.Second
)

// autoCommit is the consumer many people write first: kgo commits by itself each interval what earlier polls returned,
// and the records are handed through a queue to a pool of goroutines that produces without waiting.
//
// It claims at-least-once, as its users believe. It breaks because "returned by a poll" is not "finished": a commit
// passes records that are still queued, and when the worker dies then, nobody processes them again. It takes a backlog
// longer than a commit interval, which any burst makes.
func autoCommit() Pipeline {
	return Pipeline{
		PipelineInfo: harness.PipelineInfo{
			Name:   "auto-commit",
			Claims: harness.AtLeastOnce,
			About:  "offsets committed by the client each interval, records handed to a pool of goroutines",
			Deviations: []string{
				"offsets are committed by the client at each auto-commit interval",
				"a pool of 2 goroutines works on a queue of at most 4000 records",
			},
			Phases: []string{PhasePolled, PhaseCommitting, PhaseCommitted},
		},
		work: autoCommitLoop,
	}
}

func autoCommitLoop(ctx context.Context, w *worker) (err error) {
	h := &handOff{w: w, queue: make(chan input, autoCommitQueue)}
	c, err := w.open(ctx, opening{beforeRevoke: h.commitReturned, autoCommitted: h.autoCommitted})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	var pool sync.WaitGroup
	for range autoCommitPool {
		pool.Go(func() { h.process(ctx, c) })
	}
	err = h.fill(ctx, c)
	close(h.queue)
	pool.Wait()
	if err == nil {
		err = c.flush(ctx)
	}
	if err != nil {
		return err
	}
	h.returned.set(c.position())
	return c.commitPositions(ctx, c.position())
}

// handOff is the queue between one worker's polls and its pool.
type handOff struct {
	w     *worker
	queue chan input
	// mu is what every pool goroutine holds while it produces: who holds it knows exactly what is unfinished.
	mu      sync.Mutex
	pending pending
	// returned are the positions before the last poll: what an automatic commit may commit.
	returned positions
}

// fill polls and queues until the worker must stop.
func (h *handOff) fill(ctx context.Context, c *client) error {
	for h.w.stopping.Err() == nil {
		h.returned.set(c.position())
		inputs, err := c.poll(ctx)
		if err != nil {
			return err
		}
		h.mu.Lock()
		h.pending.add(inputs)
		h.mu.Unlock()
		for _, in := range inputs {
			select {
			case h.queue <- in:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
	return nil
}

// process is one goroutine of the pool. It fires and forgets: the promise only feeds the history.
func (h *handOff) process(ctx context.Context, c *client) {
	for in := range h.queue {
		if h.w.work(ctx) != nil {
			return
		}
		h.mu.Lock()
		h.pending.remove(in)
		c.produce(ctx, in, func(input, error) {})
		h.mu.Unlock()
	}
}

// autoCommitted is the committed phase: announced only when the commit passed unfinished records. While the worker waits
// it holds the callback, so nothing else is committed, and the pool, so nothing more is produced: a kill loses them.
func (h *handOff) autoCommitted(ctx context.Context, c *client, got []answer) {
	if !h.w.gates.waitsAt(PhaseCommitted) {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	held := h.pending.below(got)
	if held == 0 {
		return
	}
	flushing, cancel := context.WithTimeout(ctx, autoCommitFlush)
	defer cancel()
	logged(c.flush(flushing))
	logged(c.recordOutputs())
	logged(h.w.gates.reach(ctx, PhaseCommitted, held))
}

// commitReturned does what kgo does by default before partitions leave: commit what polls before the last one returned.
func (h *handOff) commitReturned(ctx context.Context, c *client) {
	committed := c.kafka.CommittedOffsets()[h.w.spec.Input]
	next := map[int32]kgo.EpochOffset{}
	held := c.position()
	for p, at := range h.returned.get() {
		if _, ours := held[p]; ours && committed[p].Offset != at.Offset {
			next[p] = at
		}
	}
	logged(c.commitPositions(ctx, next))
}
