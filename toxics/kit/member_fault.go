package kit

import (
	"context"
	"fmt"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/claims"
	"github.com/chaeos/chaeos/harness/together"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/target"
)

func MemberProcess(f *harness.Field, name string) *inject.Process[harness.MemberState] {
	return &inject.Process[harness.MemberState]{
		Name: calledMember(f, name), Claims: claims.Of[harness.MemberState](f.Claims, "member"), Key: name,
		Running: harness.MemberRunning, Within: RestartWithin,
		State: func(context.Context) (harness.MemberState, error) {
			m, err := target.Member(f, name)
			return m.State, err
		},
		Bring: func(ctx context.Context, want harness.MemberState) error { return bringMember(ctx, f, name, want) },
	}
}

// calledMember is what people call a member: "worker auto-commit-0".
func calledMember(f *harness.Field, name string) string {
	m, err := target.Member(f, name)
	switch {
	case err != nil:
		return name
	case name == target.ServiceMember:
		return "the external service"
	}
	return m.Role + " " + name
}

// bringMember makes a member's process paused, or ends it in order. A dead one is up before it is paused again.
func bringMember(ctx context.Context, f *harness.Field, name string, want harness.MemberState) error {
	m, err := target.Member(f, name)
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
	m, err := target.Member(f, name)
	if err != nil || m.State != harness.MemberDead {
		return err
	}
	return f.Fleet.Restart(ctx, name)
}

// ResumeMember continues a member that is paused; one that isn't, or that died meanwhile, is left as it is.
func ResumeMember(ctx context.Context, f *harness.Field, name string) error {
	m, err := target.Member(f, name)
	if err != nil || m.State != harness.MemberPaused {
		return err
	}
	return f.Fleet.Resume(ctx, name)
}

// MemberFault is a fault on the processes of members.
type MemberFault struct {
	// What they are, for people: "worker".
	What  string
	From  []harness.MemberState
	Wants harness.MemberState
	Do    func(ctx context.Context, f *harness.Field, name string) error
	Heal  func(ctx context.Context, f *harness.Field, name string) error
	// ForGood says that they stay as the fault wants them.
	ForGood bool
}

// HitAll hits all of them at once.
func (m MemberFault) HitAll(ctx context.Context, i *inject.Injection, names []string) error {
	var struck []*inject.Process[harness.MemberState]
	var hits []func() error
	for _, name := range names {
		p := MemberProcess(i.Field, name)
		struck = append(struck, p)
		hits = append(hits, func() error {
			return p.Hit(ctx, &i.Undo, inject.Action[harness.MemberState]{
				From: m.From, Wants: m.Wants, ForGood: m.ForGood,
				Do:   func(ctx context.Context) error { return m.Do(ctx, i.Field, name) },
				Heal: func(ctx context.Context) error { return m.Heal(ctx, i.Field, name) },
			})
		})
	}
	if !m.ForGood {
		ExpectMembers(i, m.running(len(names)), func() []*inject.Process[harness.MemberState] { return struck })
	}
	return together.Do(hits, func(hit func() error) error { return hit() })
}

// running says of so many of them that they run.
func (m MemberFault) running(n int) string {
	if n == 1 {
		return fmt.Sprintf("1 %s runs", m.What)
	}
	return fmt.Sprintf("%d %ss run", n, m.What)
}

// ExpectMembers: once healed, members that were struck are as they were at first, unless another fault has them.
func ExpectMembers(i *inject.Injection, proof string, struck func() []*inject.Process[harness.MemberState]) {
	i.Expect(proof, func(ctx context.Context) error {
		var left error
		for _, p := range struck() {
			if !p.Touched() {
				continue // it was another fault's, or there was nothing to hit
			}
			err := p.Healed(ctx)
			if err != nil && !inject.IsLeft(err) {
				return err
			}
			if left == nil {
				left = err
			}
		}
		return left
	})
}

// RestartWithin bounds the heal of one worker.
const RestartWithin = 20 * time.Second
