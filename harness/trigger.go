package harness

import (
	"context"
	"time"
)

// Trigger is a condition that a scheduled fault waits for once its time has come.
type Trigger interface {
	// String is the trigger as people write it: "phase flushed of idempotent".
	String() string
	// Holds lists the pipelines whose workers the trigger makes wait while the fault is injected.
	Holds() []string
	// Arm begins to watch for the condition. A worker that waits for an earlier trigger of the same fault goes on from there.
	Arm(ctx context.Context, field *Field, signs Signs) (Armed, error)
}

// Armed is a trigger that watches for its condition.
type Armed interface {
	// Await returns what it saw once the condition holds. From then on the workers wait.
	Await(ctx context.Context) (saw string, err error)
	// Release lets every waiting worker go on. It is harmless if none waits, or if it is dead.
	Release(ctx context.Context) error
}

// Signs is what triggers can know of the schedule's other faults, by their labels.
type Signs interface {
	// Injected returns once the labelled fault was injected, Healed once it was healed. A fault that ended without it is an
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
