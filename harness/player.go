package harness

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/together"
	"github.com/chaeos/chaeos/harness/wait"
)

// releaseWithin bounds how long a worker may take to go on.
const releaseWithin = 10 * time.Second

// play runs the schedule from start until every fault has been injected and healed, or ctx is done. Faults that are still
// active then are left to healAll.
func (s *schedule) play(ctx context.Context, start history.Time) error {
	return together.Do(s.faults, func(f *plannedFault) error {
		defer close(f.ended)
		return s.playOne(ctx, f, start)
	})
}

// playOne waits for the fault's time and its trigger, injects it, waits again, and heals it. Workers that wait
// for its triggers go on whatever happens.
func (s *schedule) playOne(ctx context.Context, f *plannedFault, start history.Time) (err error) {
	if err := wait.Sleep(ctx, start.Add(f.At).Sub(history.Now())); err != nil {
		return fmt.Errorf("fault %s was never injected: %w", f.Name, err)
	}
	held := &holding{}
	defer func() { err = errors.Join(err, held.release(ctx)) }()
	if err := s.await(ctx, f, held); err != nil {
		f.note(func(r *FaultRecord) { r.Error = err.Error() })
		return fmt.Errorf("fault %s was never injected: %w", f.Name, err)
	}
	if err := s.inject(ctx, f); err != nil {
		return err
	}
	return s.untilHealed(ctx, f, held)
}

// await waits for the fault's turn to make workers wait, and until its trigger has fired.
func (s *schedule) await(ctx context.Context, f *plannedFault, held *holding) (err error) {
	within := f.For
	if f.When != nil {
		within = f.When.Within
	}
	begun := history.Now()
	bounded, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	if held.turn, err = s.turns.take(bounded, f.holds()); err != nil || f.When == nil {
		return err
	}
	var saw string
	if held.armed, err = f.When.Trigger.Arm(bounded, s.field, s); err == nil {
		saw, err = f.When.fired(ctx, held.armed, within-history.Now().Sub(begun))
	}
	if err != nil {
		return fmt.Errorf("its trigger (%s): %w", f.When.Trigger, err)
	}
	f.note(func(r *FaultRecord) { r.Saw = saw })
	return nil
}

// fired waits for an armed trigger, and then for the delay. Its error is errNeverFired if the trigger does not fire in time.
func (w *When) fired(ctx context.Context, armed Armed, within time.Duration) (string, error) {
	bounded, cancel := context.WithTimeoutCause(ctx, within, errNeverFired)
	defer cancel()
	saw, err := armed.Await(bounded)
	switch {
	case errors.Is(context.Cause(bounded), errNeverFired) && err != nil:
		if errors.Is(err, errNeverFired) {
			return "", err // the trigger's own error says so already
		}
		return "", fmt.Errorf("%w: %w", errNeverFired, err)
	case err != nil:
		return "", err
	}
	return saw, wait.Sleep(ctx, w.Delay)
}

var errNeverFired = errors.New("it did not fire in its time")

// untilHealed keeps the fault for its time, or until its heal trigger fires, and heals it. Workers that
// wait for that trigger wait until the fault is healed.
func (s *schedule) untilHealed(ctx context.Context, f *plannedFault, held *holding) error {
	ending := &holding{}
	err := s.armHeal(ctx, f, held, ending)
	if f.When != nil && !f.When.HoldToHeal {
		err = errors.Join(err, held.release(ctx))
	}
	switch {
	case err != nil:
	case f.HealWhen == nil:
		err = wait.Sleep(ctx, f.For)
	default:
		var saw string
		saw, err = f.HealWhen.fired(ctx, ending.armed, f.For)
		f.note(func(r *FaultRecord) { r.HealSaw = saw })
	}
	if ctx.Err() != nil {
		return ending.release(ctx) // healAll takes it from here
	}
	healed := s.heal(context.WithoutCancel(ctx), f)
	if err != nil && f.HealWhen != nil {
		err = fmt.Errorf("fault %s: its heal trigger (%s): %w", f.Name, f.HealWhen.Trigger, err)
		f.note(func(r *FaultRecord) { r.Error = err.Error() })
	}
	return errors.Join(err, healed, ending.release(ctx))
}

// armHeal arms the trigger that ends the fault, before workers that wait for the first trigger may go on.
func (s *schedule) armHeal(ctx context.Context, f *plannedFault, held, ending *holding) (err error) {
	if f.HealWhen == nil {
		return nil
	}
	ending.armed, err = f.HealWhen.Trigger.Arm(ctx, s.field, s)
	ending.turn, held.turn = held.turn, nil
	if err == nil && f.When != nil && len(f.HealWhen.Trigger.Holds()) > 0 && slices.Equal(f.When.Trigger.Holds(), f.HealWhen.Trigger.Holds()) {
		held.armed = nil // the workers went on to where the second trigger waits for them
	}
	return err
}

// note changes the fault's record.
func (f *plannedFault) note(change func(*FaultRecord)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(&f.record)
}

// holding is a trigger that made workers wait, and the turn that allowed it.
type holding struct {
	armed Armed
	turn  func()
}

// release lets the workers go on, also if the run is interrupted. It may be called again.
func (h *holding) release(ctx context.Context) (err error) {
	if h.armed != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseWithin)
		defer cancel()
		err = h.armed.Release(ctx)
		h.armed = nil
	}
	if h.turn != nil {
		h.turn()
		h.turn = nil
	}
	return err
}
