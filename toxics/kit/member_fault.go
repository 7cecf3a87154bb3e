package toxics

import (
	"context"
	"fmt"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/claims"
	"github.com/chaeos/chaeos/harness/together"
)

func memberProcess(f *harness.Field, name string) *process[harness.MemberState] {
	return &process[harness.MemberState]{
		name: calledMember(f, name), claims: claims.Of[harness.MemberState](f.Claims, "member"), key: name,
		running: harness.MemberRunning, within: restartWithin,
		state: func(context.Context) (harness.MemberState, error) {
			m, err := member(f, name)
			return m.State, err
		},
		bring: func(ctx context.Context, want harness.MemberState) error { return bringMember(ctx, f, name, want) },
	}
}

// calledMember is what people call a member: "worker auto-commit-0".
func calledMember(f *harness.Field, name string) string {
	m, err := member(f, name)
	switch {
	case err != nil:
		return name
	case name == serviceMember:
		return "the external service"
	}
	return m.Role + " " + name
}

// bringMember makes a member's process paused, or ends it in order. A dead one is up before it is paused again.
func bringMember(ctx context.Context, f *harness.Field, name string, want harness.MemberState) error {
	m, err := member(f, name)
	switch {
	case err != nil || m.State == want:
		return err
	case want == harness.MemberDead:
		return f.Fleet.Stop(ctx, name)
	case m.State == harness.MemberDead:
		if err := f.Fleet.Restart(ctx, name); err != nil {
			return err
		}
	}
	return f.Fleet.Pause(ctx, name)
}

// reviveMember starts a new life of a member that is dead; one that another fault has revived is left as it is.
func reviveMember(ctx context.Context, f *harness.Field, name string) error {
	m, err := member(f, name)
	if err != nil || m.State != harness.MemberDead {
		return err
	}
	return f.Fleet.Restart(ctx, name)
}

// resumeMember continues a member that is paused; one that isn't, or that died meanwhile, is left as it is.
func resumeMember(ctx context.Context, f *harness.Field, name string) error {
	m, err := member(f, name)
	if err != nil || m.State != harness.MemberPaused {
		return err
	}
	return f.Fleet.Resume(ctx, name)
}

// memberFault is a fault on the processes of members.
type memberFault struct {
	// what they are, for people: "worker".
	what  string
	from  []harness.MemberState
	wants harness.MemberState
	hit   func(ctx context.Context, f *harness.Field, name string) error
	heal  func(ctx context.Context, f *harness.Field, name string) error
	// forGood says that they stay as the fault wants them.
	forGood bool
}

// strike hits all of them at once.
func (m memberFault) strike(ctx context.Context, i *injection, names []string) error {
	var struck []*process[harness.MemberState]
	var hits []func() error
	for _, name := range names {
		p := memberProcess(i.field, name)
		struck = append(struck, p)
		hits = append(hits, func() error {
			return p.strike(ctx, &i.undo, blow[harness.MemberState]{
				from: m.from, wants: m.wants, forGood: m.forGood,
				hit:  func(ctx context.Context) error { return m.hit(ctx, i.field, name) },
				heal: func(ctx context.Context) error { return m.heal(ctx, i.field, name) },
			})
		})
	}
	if !m.forGood {
		expectMembers(i, m.running(len(names)), func() []*process[harness.MemberState] { return struck })
	}
	return together.Do(hits, func(hit func() error) error { return hit() })
}

// running says of so many of them that they run.
func (m memberFault) running(n int) string {
	if n == 1 {
		return fmt.Sprintf("1 %s runs", m.what)
	}
	return fmt.Sprintf("%d %ss run", n, m.what)
}

// expectMembers: once healed, members that were struck are as they were at first, unless another fault has them.
func expectMembers(i *injection, proof string, struck func() []*process[harness.MemberState]) {
	i.expect(proof, func(ctx context.Context) error {
		var left error
		for _, p := range struck() {
			if !p.touched() {
				continue // it was another fault's, or there was nothing to hit
			}
			err := p.healed(ctx)
			if err != nil && !isLeft(err) {
				return err
			}
			if left == nil {
				left = err
			}
		}
		return left
	})
}

// restartWithin bounds the heal of one worker.
const restartWithin = 20 * time.Second
