package toxics

import (
	"context"
	"fmt"

	"github.com/chaeos/chaeos/harness"
)

// awaitPhases brings each worker that has a phase to it, and returns once all wait there with enough records held.
func (w workerKill) awaitPhases(ctx context.Context, f *harness.Field, names []string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if len(w.phases) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, w.within, fmt.Errorf("not there within %s", w.within))
	defer cancel()
	return together(names, func(name string) error {
		m, err := member(f, name)
		if err != nil {
			return err
		}
		phase := w.phaseOf(m.Pipeline)
		if phase == "" {
			return nil
		}
		if err := w.awaitPhase(ctx, f, name, phase); err != nil {
			return fmt.Errorf("waiting for phase %s with %d records held: %w", phase, w.held, err)
		}
		return nil
	})
}

// awaitPhase arms a worker until it waits with enough records held. A phase reached with fewer is let pass: killed there,
// the worker would lose or repeat too little to show.
func (w workerKill) awaitPhase(ctx context.Context, f *harness.Field, name, phase string) error {
	for {
		if err := f.Fleet.Arm(ctx, name, phase); err != nil {
			return err
		}
		if err := f.Fleet.Await(ctx, name); err != nil {
			if cause := context.Cause(ctx); cause != nil {
				return cause
			}
			return err
		}
		m, err := member(f, name)
		if err != nil || m.Held >= w.held {
			return err
		}
		if err := f.Fleet.Release(ctx, name); err != nil {
			return err
		}
	}
}
