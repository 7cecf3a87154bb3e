package inject

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness/claims"
)

// Process is one that faults hit: a broker's, or a member's of the fleet. S are the states that it can be in. Faults claim
// the state that they want it to be in: one that was paused and then killed is paused again when the kill is healed first.
// Each injection has its own.
type Process[S ~string] struct {
	// Name is what people call it: "broker 1", "worker auto-commit-0".
	Name string
	// Claims are those on processes of its sort, key is its name among them.
	Claims  claims.Things[S]
	Key     string
	Running S
	// Within bounds the heal.
	Within time.Duration
	State  func(context.Context) (S, error)
	// Bring makes it be in a state other than running, whatever it is in now; harmless where it is in it.
	Bring func(context.Context, S) error
	// claim is the injection's, nil before it struck.
	claim *claims.Claim[S]
}

// Action is what a fault does to a process.
type Action[S ~string] struct {
	// From are the states in which there is something to hit, wants is the one that the fault keeps until its heal.
	From  []S
	Wants S
	Do    func(context.Context) error
	// Heal makes it run again where no other fault has it.
	Heal func(context.Context) error
	// ForGood says that the process stays as the fault wants it: its heal is none, nor is that of any older fault.
	ForGood bool
}

// Hit hits a process, unless it is in a state in which there is nothing to hit. The heal is noted before.
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

// Alone does something to a process that no other fault changes meanwhile, and that is in one of the given states.
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

// Want notes a fault's wish for a process, whatever state it is in, and its heal.
func (p *Process[S]) Want(u *Undo, b Action[S]) {
	_ = p.Claims.Change(p.Key, func(one *claims.Thing[S]) error { p.note(one, u, b); return nil })
}

// note notes a fault's wish for a process that the caller is changing, and its heal.
func (p *Process[S]) note(one *claims.Thing[S], u *Undo, b Action[S]) {
	one.BeginOnce(p.Running)
	p.claim = one.Add(b.Wants)
	c := p.claim
	u.Add(p.Name, p.Within, func(ctx context.Context) error { return p.letGo(ctx, c, b.Heal) })
}

// Adopt notes that a fault has made a process that was in another state at first, and wants it to run: its claim is the
// oldest, whichever fault has hit the process since.
func (p *Process[S]) Adopt(u *Undo, first S) {
	_ = p.Claims.Change(p.Key, func(one *claims.Thing[S]) error {
		p.note(one, u, Action[S]{Wants: p.Running, Heal: func(context.Context) error { return nil }})
		one.Begin(first)
		one.Age(p.claim)
		return nil
	})
}

// mustBe says that a process is in none of the states in which a fault can hit it.
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

// letGo ends a claim: the process is healed, or comes to be as the newest fault still active wants it, or as it was before
// any fault.
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

// Healed says what is wrong with a process once the fault is healed: it must be as it was at first, unless another fault
// has it.
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
