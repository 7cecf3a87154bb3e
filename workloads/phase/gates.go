package phase

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/chaeos/chaeos/harness/history"
)

// Gates make a process wait at its armed phase. A phase that isn't armed costs one atomic load. The zero value is ready
// to be reached, not to be armed.
type Gates struct {
	armed atomic.Pointer[gate]
	// at is called when the armed phase is reached, before the process waits there.
	at func(history.Phase) error
}

// NewGates returns gates that call at once for each armed phase, when it is reached.
func NewGates(at func(history.Phase) error) *Gates { return &Gates{at: at} }

type gate struct {
	phase string
	// passes is how often the phase may still be passed.
	passes   atomic.Int64
	open     chan struct{}
	announce sync.Once
	// reached reports whether something waits here.
	reached atomic.Bool
	err     error
}

// Arm makes the process wait at the phase, after it passed it the given number of times, until Disarm. A process that
// waits already goes on from there. An armed phase that was not reached yet belongs to another fault, which is an error;
// so is a phase that is not one of phases.
func (g *Gates) Arm(phase string, passes uint64, phases []string) error {
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

// Disarm lets everything that waits go on.
func (g *Gates) Disarm() {
	if old := g.armed.Swap(nil); old != nil {
		close(old.open)
	}
}

// Armed reports whether the phase is armed.
func (g *Gates) Armed(phase string) bool {
	a := g.armed.Load()
	return a != nil && a.phase == phase
}

// Reach waits if the phase is armed, until it is disarmed or ctx is done (then it returns the cause). Held is the number
// of records that are taken and not finished.
func (g *Gates) Reach(ctx context.Context, phase string, held int) error {
	a := g.armed.Load()
	if a == nil || a.phase != phase || a.passes.Add(-1) >= 0 {
		return nil
	}
	a.reached.Store(true)
	if err := g.announce(a, held); err != nil {
		return err
	}
	select {
	case <-a.open:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Announce announces that the armed phase was reached, without waiting there.
func (g *Gates) Announce(phase string, held int) error {
	a := g.armed.Load()
	if a == nil || a.phase != phase {
		return nil
	}
	return g.announce(a, held)
}

func (g *Gates) announce(a *gate, held int) error {
	a.announce.Do(func() { a.err = g.at(history.Phase{Stamp: history.AtNow(), Name: a.phase, Held: uint64(held)}) })
	return a.err
}
