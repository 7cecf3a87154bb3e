package kit

import (
	"context"
	"fmt"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/together"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/target"
)

// AwaitPhases brings each member to its phase, if it has one, and returns once all wait there with enough records held. The heal
// lets those go on that were not killed.
func (k MemberKill) AwaitPhases(ctx context.Context, i *inject.Injection, names []string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if len(k.Phases) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, k.within, fmt.Errorf("not there within %s", k.within))
	defer cancel()
	return together.Do(names, func(name string) error {
		m, err := target.Member(i.Field, name)
		if err != nil {
			return err
		}
		phase := k.PhaseOf(m.Pipeline)
		if phase == "" {
			return nil
		}
		i.Undo.Add("phase of "+name, releaseWithin, func(ctx context.Context) error { return ReleaseIncarnation(ctx, i.Field, m) })
		if err := k.awaitPhase(ctx, i.Field, name, phase); err != nil {
			return fmt.Errorf("%s: waiting for phase %s with %d records held: %w", calledMember(i.Field, name), phase, k.Held, err)
		}
		return nil
	})
}

// releaseWithin bounds how long a member may take to go on.
const releaseWithin = 15 * time.Second

// ReleaseIncarnation lets a member go on that was armed, unless that incarnation has ended.
func ReleaseIncarnation(ctx context.Context, f *harness.Field, armed harness.Member) error {
	m, err := target.Member(f, armed.Name)
	if err != nil || m.State == harness.MemberDead || m.Incarnation != armed.Incarnation {
		return err
	}
	return f.Fleet.Release(ctx, armed.Name)
}

// awaitPhase arms a member until it waits with enough records held. With fewer it goes on: killed there, it would lose or
// repeat too little to show.
func (k MemberKill) awaitPhase(ctx context.Context, f *harness.Field, name, phase string) error {
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
		m, err := target.Member(f, name)
		if err != nil || m.Held >= k.Held {
			return err
		}
		if err := f.Fleet.Release(ctx, name); err != nil {
			return err
		}
	}
}
