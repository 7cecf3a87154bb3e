package harness

import (
	"context"
	"time"
)

// Trigger is a condition that a scheduled fault waits for, beside its time.
type Trigger interface {
	// String is the trigger as people write it: "phase flushed of idempotent".
	String() string
	// Holds lists the pipelines of which the trigger makes a worker wait while the fault is injected.
	Holds() []string
	// Arm begins to look. A worker that already waits for an earlier trigger of the same fault goes on from there.
	Arm(ctx context.Context, field *Field, signs Signs) (Armed, error)
}

// Armed is a trigger that looks.
type Armed interface {
	// Await returns what was seen once the condition holds. A worker that was to wait does so from then on.
	Await(ctx context.Context) (saw string, err error)
	// Release lets go of every worker that was made to wait. It is harmless where nobody waits, or who did is dead.
	Release(ctx context.Context) error
}

// Signs is what triggers can learn of the schedule's other faults, by their labels.
type Signs interface {
	// Injected returns once the labelled fault was injected, Healed once it was healed. A fault that ended otherwise is an
	// error.
	Injected(ctx context.Context, label string) error
	Healed(ctx context.Context, label string) error
	// Injection returns the labelled fault while it is active.
	Injection(label string) (Injection, bool)
}

// When is a trigger with its bounds.
type When struct {
	Trigger Trigger
	// Within is how long the trigger may take to fire, from when it was armed. One that doesn't is an incident.
	Within time.Duration
	// Delay is how long after that the fault is injected.
	Delay time.Duration
	// HoldToHeal keeps the workers that wait until the fault is healed, instead of until it is injected.
	HoldToHeal bool
}

// Ends is the latest time, from the start of the load, at which a fault can be healed.
func (f ScheduledFault) Ends() time.Duration {
	end := f.At + f.For
	if f.When != nil {
		end += f.When.Within + f.When.Delay
	}
	return end
}
