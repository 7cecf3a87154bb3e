package kit

import (
	"context"
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/together"
	"github.com/chaeos/chaeos/toxics/inject"
)

// MemberFault is a fault on the processes of members.
type MemberFault struct {
	// What they are, for people: "worker".
	What string
	// From are the states in which there is something to hit, Wants is the state that the fault keeps until its heal.
	From  []harness.MemberState
	Wants harness.MemberState
	Do    func(ctx context.Context, f *harness.Field, name string) error
	// Heal makes a member run again; harmless if it does.
	Heal func(ctx context.Context, f *harness.Field, name string) error
	// ForGood means that the members stay as the fault wants them.
	ForGood bool
}

// HitAll hits all of the named members at once.
func (m MemberFault) HitAll(ctx context.Context, i *inject.Injection, names []string) error {
	var processes []*inject.Process[harness.MemberState]
	var hits []func() error
	for _, name := range names {
		p := MemberProcess(i.Field, name)
		processes = append(processes, p)
		hits = append(hits, func() error {
			return p.Hit(ctx, &i.Undo, inject.Action[harness.MemberState]{
				From: m.From, Wants: m.Wants, ForGood: m.ForGood,
				Do:   func(ctx context.Context) error { return m.Do(ctx, i.Field, name) },
				Heal: func(ctx context.Context) error { return m.Heal(ctx, i.Field, name) },
			})
		})
	}
	if !m.ForGood {
		ExpectMembers(i, m.running(len(names)), func() []*inject.Process[harness.MemberState] { return processes })
	}
	return together.Do(hits, func(hit func() error) error { return hit() })
}

// running is the proof that n members run.
func (m MemberFault) running(n int) string {
	if n == 1 {
		return fmt.Sprintf("1 %s runs", m.What)
	}
	return fmt.Sprintf("%d %ss run", n, m.What)
}

// ExpectMembers notes that processes must be as they were at first once the fault is healed, unless another fault has them.
// They are asked for at that time.
func ExpectMembers(i *inject.Injection, proof string, processes func() []*inject.Process[harness.MemberState]) {
	i.Expect(proof, func(ctx context.Context) error {
		var left error
		for _, p := range processes() {
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
