package workloads

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// pending are polled records that were not handed to the producer, by partition and offset. It is not safe for several
// goroutines.
type pending map[int32]map[int64]struct{}

func (p *pending) add(inputs []input) {
	if *p == nil {
		*p = pending{}
	}
	for _, in := range inputs {
		if (*p)[in.partition] == nil {
			(*p)[in.partition] = map[int64]struct{}{}
		}
		(*p)[in.partition][in.offset] = struct{}{}
	}
}

func (p *pending) remove(in input) { delete((*p)[in.partition], in.offset) }

// below counts the records that the confirmed commits passed.
func (p *pending) below(committed []answer) int {
	n := 0
	for _, a := range committed {
		if a.err != nil {
			continue
		}
		for offset := range (*p)[a.Partition] {
			if offset < a.Offset {
				n++
			}
		}
	}
	return n
}

// positions are next offsets to read, by partition.
type positions struct {
	mu sync.Mutex
	at map[int32]kgo.EpochOffset
}

func (p *positions) set(at map[int32]kgo.EpochOffset) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at = at
}

func (p *positions) get() map[int32]kgo.EpochOffset {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at
}

// unfinished follows, for commits that don't wait for processing, which polled records are not handed to the producer.
type unfinished struct {
	w *worker
	// mu is what everyone holds who produces: who holds it knows exactly what is unfinished.
	mu      sync.Mutex
	pending pending
}

// took notes what a poll returned.
func (u *unfinished) took(inputs []input) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.pending.add(inputs)
}

// produce hands a record's output to the producer; from then on it is finished.
func (u *unfinished) produce(ctx context.Context, c *client, in input, done func(input, error)) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.pending.remove(in)
	c.produce(ctx, in, done)
}

// committed is the committed phase: announced only when the commit passed unfinished records. While the worker waits it
// holds the committer, so nothing else is committed, and everyone who produces: a kill loses the records exactly.
func (u *unfinished) committed(ctx context.Context, c *client, got []answer) {
	if !u.w.gates.waitsAt(PhaseCommitted) {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	held := u.pending.below(got)
	if held == 0 {
		return
	}
	flushing, cancel := context.WithTimeout(ctx, exactFlush)
	defer cancel()
	logged(c.flush(flushing))
	logged(c.recordOutputs())
	logged(u.w.gates.reach(ctx, PhaseCommitted, held))
}

// exactFlush bounds the flush that makes the number of held records exact while the worker waits to be killed.
const exactFlush = 2 * time.Second

// position is where the client's polls are now.
func (c *client) position() map[int32]kgo.EpochOffset {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.positions)
}

// logged is for callbacks that can't return an error. The history writer keeps its own, so the loop ends with it.
func logged(err error) {
	if err != nil {
		slog.Warn("callback", "err", err)
	}
}
