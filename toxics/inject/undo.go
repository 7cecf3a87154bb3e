package inject

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/chaeos/chaeos/harness/together"
)

// Undo is what must be done to heal a fault. A step is noted before what it undoes is done, and must be harmless if there is
// nothing to undo.
type Undo struct {
	mu    sync.Mutex
	steps []step
}

type step struct {
	what   string
	within time.Duration
	do     func(context.Context) error
}

// Add notes a step; what names it in errors, and within bounds it.
func (u *Undo) Add(what string, within time.Duration, do func(context.Context) error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.steps = append(u.steps, step{what, within, do})
}

// Run does all steps at once, each within its bound, and keeps those that failed for the next time.
func (u *Undo) Run(ctx context.Context) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	_, errs := together.Ask(u.steps, func(s step) (struct{}, error) {
		ctx, cancel := HealContext(ctx, s.within)
		defer cancel()
		if err := s.do(ctx); err != nil {
			return struct{}{}, fmt.Errorf("%s: %w", s.what, err)
		}
		return struct{}{}, nil
	})
	next := 0
	u.steps = slices.DeleteFunc(u.steps, func(step) bool { next++; return errs[next-1] == nil })
	return errors.Join(errs...)
}

// HealContext returns a context that ends within the bound, or at ctx's deadline if that comes first, but not when ctx is
// cancelled: an interrupted run must heal too.
func HealContext(ctx context.Context, within time.Duration) (context.Context, context.CancelFunc) {
	until := time.Now().Add(within)
	if deadline, ok := ctx.Deadline(); ok && ctx.Err() == nil && deadline.Before(until) {
		until = deadline
	}
	return context.WithDeadline(context.WithoutCancel(ctx), until)
}
