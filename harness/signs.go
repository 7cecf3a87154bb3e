package harness

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

var _ Signs = (*schedule)(nil)

// Injected returns once the labelled fault was injected.
func (s *schedule) Injected(ctx context.Context, label string) error {
	f, err := s.labelled(label)
	if err != nil {
		return err
	}
	select {
	case <-f.injected:
		return nil
	case <-f.ended:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case <-f.injected:
		return nil
	default:
		return fmt.Errorf("fault %s was never injected", label)
	}
}

// Healed returns once the labelled fault was healed.
func (s *schedule) Healed(ctx context.Context, label string) error {
	f, err := s.labelled(label)
	if err != nil {
		return err
	}
	select {
	case <-f.ended:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.healed {
		return fmt.Errorf("fault %s was not healed", label)
	}
	return nil
}

// Injection returns the labelled fault while it is active.
func (s *schedule) Injection(label string) (Injection, bool) {
	f, err := s.labelled(label)
	if err != nil || !f.mu.TryLock() { // one that is being injected or healed right now is not active
		return nil, false
	}
	defer f.mu.Unlock()
	return f.injection, f.injection != nil && !f.healed
}

// labelled finds the fault of a label: the last one, if it is repeated.
func (s *schedule) labelled(label string) (*plannedFault, error) {
	for _, f := range slices.Backward(s.faults) {
		if f.Label == label {
			return f, nil
		}
	}
	return nil, fmt.Errorf("the schedule has no fault %q", label)
}

// holds lists the pipelines whose workers the fault's triggers make wait, sorted.
func (f *plannedFault) holds() []string {
	var all []string
	for _, w := range []*When{f.When, f.HealWhen} {
		if w != nil {
			all = append(all, w.Trigger.Holds()...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// turns let one fault at a time hold the workers of a pipeline: a worker waits at one phase only.
type turns struct {
	mu    sync.Mutex
	taken map[string]chan struct{}
}

// take waits until all the pipelines, which must be sorted, are free, and returns what frees them.
func (t *turns) take(ctx context.Context, pipelines []string) (done func(), err error) {
	var got []chan struct{}
	done = func() {
		for _, turn := range got {
			<-turn
		}
	}
	for _, p := range pipelines {
		select {
		case t.of(p) <- struct{}{}:
			got = append(got, t.of(p))
		case <-ctx.Done():
			done()
			return nil, fmt.Errorf("waiting for another fault's trigger on %s: %w", p, context.Cause(ctx))
		}
	}
	return done, nil
}

func (t *turns) of(pipeline string) chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken == nil {
		t.taken = map[string]chan struct{}{}
	}
	if t.taken[pipeline] == nil {
		t.taken[pipeline] = make(chan struct{}, 1)
	}
	return t.taken[pipeline]
}
