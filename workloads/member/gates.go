package workloads

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/chaeos/chaeos/harness/history"
)

// The named phases of a worker's or a source's loop, in the order it passes them. At each it can be told to wait.
const (
	// PhasePolled: records were delivered, nothing was done with them.
	PhasePolled = "polled"
	// PhaseHalfway: the outputs of one partition are stored in the open transaction, those of the others are to come.
	PhaseHalfway = "halfway"
	// PhaseProcessed: every record's output was handed to the producer, not flushed.
	PhaseProcessed = "processed"
	// PhaseFlushed: every output is stored, no position was committed. Inside a transaction it is still open.
	PhaseFlushed = "flushed"
	// PhaseCommitting: the commit was decided and recorded, nothing of it was sent.
	PhaseCommitting = "committing"
	// PhaseOffsetsSent: the open transaction holds the offsets, its end was not asked for.
	PhaseOffsetsSent = "offsets-sent"
	// PhaseCommitted: the commit is confirmed. In auto-commit: it passed records that are not finished.
	PhaseCommitted = "committed"
	// PhaseAcked: a source's records are acknowledged, its position is not saved.
	PhaseAcked = "acked"
	// PhaseCheckpointed: a source's position is saved.
	PhaseCheckpointed = "checkpointed"
	// PhaseNotified: the external service confirmed every record's effect.
	PhaseNotified = "notified"
	// PhaseStored: the external service has stored an effect and not answered. Whoever waits there is its caller.
	PhaseStored = "stored"
	// PhaseFailing: the external service answers each request with an error, after it stored the effect. Nobody waits.
	PhaseFailing = "failing"
	// PhaseForgetting: at each request the external service forgets all keys, the request's own too. Nobody waits.
	PhaseForgetting = "forgetting"
)

// gates make a worker wait at an armed phase. A phase that isn't armed costs one atomic load.
type gates struct {
	armed atomic.Pointer[gate]
	// at is told, before the worker starts to wait, that it reached the armed phase.
	at func(phase history.Phase) error
}

type gate struct {
	phase string
	// passes are how often the phase may still be passed.
	passes   atomic.Int64
	open     chan struct{}
	announce sync.Once
	// reached says that somebody waits.
	reached atomic.Bool
	err     error
}

// arm makes the worker wait when it reaches the phase after so many passes, until disarm. A worker that waits already
// goes on; one that was armed and is still on its way belongs to somebody else.
func (g *gates) arm(phase string, passes uint64, phases []string) error {
	if !slices.Contains(phases, phase) {
		return fmt.Errorf("the pipeline has no phase %q (it has %v)", phase, phases)
	}
	next := &gate{phase: phase, open: make(chan struct{})}
	next.passes.Store(int64(passes))
	old := g.armed.Load()
	if old != nil && !old.reached.Load() || !g.armed.CompareAndSwap(old, next) {
		return errors.New("another fault armed it, and it is on its way to that phase")
	}
	if old != nil {
		close(old.open)
	}
	return nil
}

// disarm lets everyone who waits go on.
func (g *gates) disarm() {
	if old := g.armed.Swap(nil); old != nil {
		close(old.open)
	}
}

// waitsAt says whether the phase is armed.
func (g *gates) waitsAt(phase string) bool {
	a := g.armed.Load()
	return a != nil && a.phase == phase
}

// reach waits, where the phase is armed, until it is released or ctx is done. Held is the number of records taken and
// not finished.
func (g *gates) reach(ctx context.Context, phase string, held int) error {
	a := g.armed.Load()
	if a == nil || a.phase != phase || a.passes.Add(-1) >= 0 {
		return nil
	}
	a.reached.Store(true)
	a.announce.Do(func() { a.err = g.at(history.Phase{At: history.Now(), Name: phase, Held: uint64(held)}) })
	if a.err != nil {
		return a.err
	}
	select {
	case <-a.open:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
