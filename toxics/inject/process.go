package inject

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness/claims"
)

// Process is a process that a fault hits, a broker's or a member's. S are the states that it can be in. Faults claim the state
// that they want it to be in: a process that was paused and then killed is paused again when the kill is healed first. Each
// injection has a Process of its own.
type Process[S ~string] struct {
	// Name is what people call it: "broker 1", "worker auto-commit-0".
	Name string
	// Claims are the claims on processes of its sort, Key is its name among them.
	Claims  claims.Things[S]
	Key     string
	Running S
	// Within bounds the heal.
	Within time.Duration
	State  func(context.Context) (S, error)
	// Bring brings it into a state other than running, whatever state it is in; harmless if it is in that state.
	Bring func(context.Context, S) error
	// claim is the injection's, nil before it hit the process.
	claim *claims.Claim[S]
}

// Action is what a fault does to a process.
type Action[S ~string] struct {
	// From are the states in which there is something to hit, Wants is the state that the fault keeps until its heal.
	From  []S
	Wants S
	Do    func(context.Context) error
	// Heal makes it run again, if no other fault has it.
	Heal func(context.Context) error
	// ForGood means that the process stays as the fault wants it: neither its heal nor that of any older fault changes it.
	ForGood bool
}

// Hit hits a process. That it is in a state in which there is nothing to hit is an error. The heal is noted first.
func (p *Process[S]) Hit(ctx context.Context, u *Undo, b Action[S]) error {
	return p.inState(ctx, b.From, func(one *claims.Thing[S]) error {
		p.note(one, u, b)
		err := b.Do(ctx)
		if err == nil && b.ForGood {
			one.Finish(b.Wants)
		}
		return err
	})
}

// Alone does something to a process that is in one of the given states, while no other fault changes it.
func (p *Process[S]) Alone(ctx context.Context, states []S, do func() error) error {
	return p.inState(ctx, states, func(*claims.Thing[S]) error { return do() })
}

func (p *Process[S]) inState(ctx context.Context, states []S, do func(*claims.Thing[S]) error) error {
	return p.Claims.Change(p.Key, func(one *claims.Thing[S]) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := p.mustBe(ctx, states); err != nil {
			return err
		}
		return do(one)
	})
}

// Want notes which state a fault wants a process to be in, and its heal; whatever state the process is in now.
func (p *Process[S]) Want(u *Undo, b Action[S]) {
	_ = p.Claims.Change(p.Key, func(one *claims.Thing[S]) error { p.note(one, u, b); return nil })
}

// note does that for a process that the caller is changing.
func (p *Process[S]) note(one *claims.Thing[S], u *Undo, b Action[S]) {
	one.BeginOnce(p.Running)
	p.claim = one.Add(b.Wants)
	c := p.claim
	u.Add(p.Name, p.Within, func(ctx context.Context) error { return p.letGo(ctx, c, b.Heal) })
}

// Adopt notes that a fault has made the process: the state before any fault was first, and the fault wants it to run. Its claim
// is the oldest, also if other faults have hit the process already.
func (p *Process[S]) Adopt(u *Undo, first S) {
	_ = p.Claims.Change(p.Key, func(one *claims.Thing[S]) error {
		p.note(one, u, Action[S]{Wants: p.Running, Heal: func(context.Context) error { return nil }})
		one.Begin(first)
		one.Age(p.claim)
		return nil
	})
}

// mustBe returns an error if a process is in none of the given states.
func (p *Process[S]) mustBe(ctx context.Context, states []S) error {
	state, err := p.State(ctx)
	if err != nil || slices.Contains(states, state) {
		return err
	}
	var words []string
	for _, s := range states {
		words = append(words, string(s))
	}
	return fmt.Errorf("%s is %s, not %s: another fault has it, or it ended by itself", p.Name, state, strings.Join(words, " or "))
}

// letGo ends a claim: the process is healed, or brought into the state that the newest fault still active wants, or that it had
// before any fault.
func (p *Process[S]) letGo(ctx context.Context, c *claims.Claim[S], heal func(context.Context) error) error {
	_, err := p.Claims.Give(c, func(want S) error {
		if want == p.Running {
			return heal(ctx)
		}
		return p.Bring(ctx, want)
	})
	return err
}

// Touched reports whether the injection has hit the process, or tried to.
func (p *Process[S]) Touched() bool { return p.claim != nil }

// Healed returns an error unless the process is as it was before any fault. What another fault has is that fault's to heal:
// IsLeft tells this error from others.
func (p *Process[S]) Healed(ctx context.Context) error {
	claimed := p.Claims.Claimed(p.Key)
	state, err := p.State(ctx)
	switch want := p.first(); {
	case err != nil || !claimed && state == want:
		return err
	case claimed:
		return leftError(fmt.Sprintf("%s is %s, as another fault wants it", p.Name, state))
	default:
		return fmt.Errorf("%s is %s, not %s", p.Name, state, want)
	}
}

// first is the state that the process had before any fault.
func (p *Process[S]) first() S {
	if p.claim == nil {
		return p.Running
	}
	return p.claim.First()
}
