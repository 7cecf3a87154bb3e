package fleet

import (
	"context"
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/workloads/protocol"
)

// Arm tells a worker to wait when it next reaches the phase.
func (f *Fleet) Arm(ctx context.Context, name, phase string) error {
	return f.ArmAfter(ctx, name, phase, 0)
}

// ArmAfter tells a worker to wait when it reaches the phase, after it passed it the given number of times. A worker that
// waits goes on from there. If another fault armed it and it is still on its way, that is an error.
func (f *Fleet) ArmAfter(ctx context.Context, name, phase string, passes uint64) error {
	m, err := f.find(name)
	if err != nil {
		return err
	}
	f.update(func() { m.WaitingAt, m.Held = "", 0 }) // before the worker can announce that it waits again
	return f.command(ctx, m, protocol.Command{Do: protocol.Arm, Phase: phase, Passes: passes})
}

// Await returns once the worker waits at its armed phase.
func (f *Fleet) Await(ctx context.Context, name string) error {
	m, err := f.find(name)
	if err != nil {
		return err
	}
	return f.until(ctx, name+" to reach its phase", func() (bool, error) {
		if m.State == harness.MemberDead {
			return false, fmt.Errorf("%s is dead", name)
		}
		return m.WaitingAt != "", nil
	})
}

// Release disarms a worker and lets it go on.
func (f *Fleet) Release(ctx context.Context, name string) error {
	m, err := f.find(name)
	if err != nil {
		return err
	}
	if err := f.command(ctx, m, protocol.Command{Do: protocol.Release}); err != nil {
		return err
	}
	f.update(func() { m.WaitingAt, m.Held = "", 0 })
	return nil
}
