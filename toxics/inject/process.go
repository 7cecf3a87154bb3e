package toxics

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness/claims"
)

// process is one that faults hit: a broker's, or a member's of the fleet. S are the states that it can be in. Faults claim
// the state that they want it to be in: one that was paused and then killed is paused again when the kill is healed first.
// Each injection has its own.
type process[S ~string] struct {
	// name is what people call it: "broker 1", "worker auto-commit-0".
	name string
	// claims are those on processes of its sort, key is its name among them.
	claims  claims.Things[S]
	key     string
	running S
	// within bounds the heal.
	within time.Duration
	state  func(context.Context) (S, error)
	// bring makes it be in a state other than running, whatever it is in now; harmless where it is in it.
	bring func(context.Context, S) error
	// claim is the injection's, nil before it struck.
	claim *claims.Claim[S]
}

// blow is what a fault does to a process.
type blow[S ~string] struct {
	// from are the states in which there is something to hit, wants is the one that the fault keeps until its heal.
	from  []S
	wants S
	hit   func(context.Context) error
	// heal makes it run again where no other fault has it.
	heal func(context.Context) error
	// forGood says that the process stays as the fault wants it: its heal is none, nor is that of any older fault.
	forGood bool
}

// strike hits a process, unless it is in a state in which there is nothing to hit. The heal is noted before.
func (p *process[S]) strike(ctx context.Context, u *undo, b blow[S]) error {
	return p.inState(ctx, b.from, func(one *claims.Thing[S]) error {
		p.note(one, u, b)
		err := b.hit(ctx)
		if err == nil && b.forGood {
			one.Finish(b.wants)
		}
		return err
	})
}

// alone does something to a process that no other fault changes meanwhile, and that is in one of the given states.
func (p *process[S]) alone(ctx context.Context, states []S, do func() error) error {
	return p.inState(ctx, states, func(*claims.Thing[S]) error { return do() })
}

func (p *process[S]) inState(ctx context.Context, states []S, do func(*claims.Thing[S]) error) error {
	return p.claims.Change(p.key, func(one *claims.Thing[S]) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := p.mustBe(ctx, states); err != nil {
			return err
		}
		return do(one)
	})
}

// want notes a fault's wish for a process, whatever state it is in, and its heal.
func (p *process[S]) want(u *undo, b blow[S]) {
	_ = p.claims.Change(p.key, func(one *claims.Thing[S]) error { p.note(one, u, b); return nil })
}

// note notes a fault's wish for a process that the caller is changing, and its heal.
func (p *process[S]) note(one *claims.Thing[S], u *undo, b blow[S]) {
	one.BeginOnce(p.running)
	p.claim = one.Add(b.wants)
	c := p.claim
	u.add(p.name, p.within, func(ctx context.Context) error { return p.letGo(ctx, c, b.heal) })
}

// adopt notes that a fault has made a process that was in another state at first, and wants it to run: its claim is the
// oldest, whichever fault has hit the process since.
func (p *process[S]) adopt(u *undo, first S) {
	_ = p.claims.Change(p.key, func(one *claims.Thing[S]) error {
		p.note(one, u, blow[S]{wants: p.running, heal: func(context.Context) error { return nil }})
		one.Begin(first)
		one.Age(p.claim)
		return nil
	})
}

// mustBe says that a process is in none of the states in which a fault can hit it.
func (p *process[S]) mustBe(ctx context.Context, states []S) error {
	state, err := p.state(ctx)
	if err != nil || slices.Contains(states, state) {
		return err
	}
	var words []string
	for _, s := range states {
		words = append(words, string(s))
	}
	return fmt.Errorf("%s is %s, not %s: another fault has it, or it ended by itself", p.name, state, strings.Join(words, " or "))
}

// letGo ends a claim: the process is healed, or comes to be as the newest fault still active wants it, or as it was before
// any fault.
func (p *process[S]) letGo(ctx context.Context, c *claims.Claim[S], heal func(context.Context) error) error {
	_, err := p.claims.Give(c, func(want S) error {
		if want == p.running {
			return heal(ctx)
		}
		return p.bring(ctx, want)
	})
	return err
}

// touched reports whether the injection has hit the process, or tried to.
func (p *process[S]) touched() bool { return p.claim != nil }

// healed says what is wrong with a process once the fault is healed: it must be as it was at first, unless another fault
// has it.
func (p *process[S]) healed(ctx context.Context) error {
	claimed := p.claims.Claimed(p.key)
	state, err := p.state(ctx)
	switch want := p.first(); {
	case err != nil || !claimed && state == want:
		return err
	case claimed:
		return leftError(fmt.Sprintf("%s is %s, as another fault wants it", p.name, state))
	default:
		return fmt.Errorf("%s is %s, not %s", p.name, state, want)
	}
}

// first is the state that the process had before any fault.
func (p *process[S]) first() S {
	if p.claim == nil {
		return p.running
	}
	return p.claim.First()
}
