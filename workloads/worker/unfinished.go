package worker

import (
	"context"
	"sync"
	"time"

	"github.com/chaeos/chaeos/workloads/member"
	"github.com/chaeos/chaeos/workloads/phase"
)

// pending are polled records that were not handed to the producer, by partition and offset. It is not safe for several
// goroutines.
type pending map[int32]map[int64]struct{}

func (p *pending) add(inputs []Input) {
	if *p == nil {
		*p = pending{}
	}
	for _, in := range inputs {
		if (*p)[in.Partition] == nil {
			(*p)[in.Partition] = map[int64]struct{}{}
		}
		(*p)[in.Partition][in.Offset] = struct{}{}
	}
}

func (p *pending) remove(in Input) { delete((*p)[in.Partition], in.Offset) }

// below counts the records that the confirmed commits overtook.
func (p *pending) below(committed []Answer) int {
	n := 0
	for _, a := range committed {
		if a.Err != nil {
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

// Unfinished follows which polled records are not handed to the producer, for commits that don't wait for the work.
type Unfinished struct {
	gates *phase.Gates
	// mu is locked to produce: while it is locked, what is unfinished is exact.
	mu      sync.Mutex
	pending pending
}

// NewUnfinished follows the records of a worker.
func NewUnfinished(w *Worker) *Unfinished { return &Unfinished{gates: w.Gates} }

// Took notes the records that a poll returned.
func (u *Unfinished) Took(inputs []Input) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.pending.add(inputs)
}

// Produce hands a record's output to the producer; from then on the record is finished.
func (u *Unfinished) Produce(ctx context.Context, c *Client, in Input, done func(Input, error)) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.pending.remove(in)
	c.Produce(ctx, in, done)
}

// Committed is the committed phase, which is reached only if the commit overtook unfinished records. While the worker
// waits there it holds back further commits and everything that produces: a kill then loses exactly these records.
func (u *Unfinished) Committed(ctx context.Context, c *Client, got []Answer) {
	if !u.gates.Armed(phase.Committed) {
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
	member.Logged(c.Flush(flushing))
	member.Logged(c.RecordOutputs())
	member.Logged(u.gates.Reach(ctx, phase.Committed, held))
}

// exactFlush bounds the flush that makes the number of held records exact while the worker waits to be killed.
const exactFlush = 2 * time.Second
