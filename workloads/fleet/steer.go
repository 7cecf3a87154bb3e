package fleet

import (
	"context"
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/workloads/protocol"
)

// Kill ends a member's process at once and reaps it.
func (f *Fleet) Kill(ctx context.Context, name string) error {
	m, i, err := f.living(name)
	if err != nil {
		return err
	}
	return f.kill(ctx, m, i)
}

func (f *Fleet) kill(ctx context.Context, m *member, i *incarnation) error {
	f.update(func() { i.killed = true })
	if err := i.process.Kill(); err != nil {
		return fmt.Errorf("kill %s: %w", m.Name, err)
	}
	if err := i.await(ctx); err != nil {
		return fmt.Errorf("kill %s: not reaped: %w", m.Name, err)
	}
	return nil
}

// Pause stops a member's process (SIGSTOP) and returns when the kernel has stopped every thread of it.
func (f *Fleet) Pause(ctx context.Context, name string) error {
	m, i, err := f.living(name)
	if err != nil {
		return err
	}
	if err := i.process.Pause(ctx); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	f.mark(m, harness.MemberPaused)
	return nil
}

// Resume continues a paused member's process.
func (f *Fleet) Resume(_ context.Context, name string) error {
	m, i, err := f.living(name)
	if err != nil {
		return err
	}
	if err := i.process.Resume(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	f.mark(m, harness.MemberRunning)
	return nil
}

// mark changes a living member's state.
func (f *Fleet) mark(m *member, state harness.MemberState) {
	f.update(func() {
		if m.State != harness.MemberDead {
			m.State = state
		}
	})
}

// Restart starts a new incarnation of a dead member and returns when it is up. A source continues from the first sequence
// that no incarnation before it intended.
func (f *Fleet) Restart(ctx context.Context, name string) error {
	m, err := f.find(name)
	if err != nil {
		return err
	}
	f.mu.Lock()
	state, fed := m.State, f.fed
	f.mu.Unlock()
	if state != harness.MemberDead {
		return fmt.Errorf("restart %s: it is %s", name, state)
	}
	if err := f.start(ctx, m); err != nil {
		return err
	}
	err = f.untilUp(ctx, m)
	if err != nil || m.Role != protocol.RoleSource || !fed {
		return err
	}
	return f.command(ctx, m, protocol.Command{Do: protocol.Feed})
}

// untilUp waits until a started member reports that it is ready.
func (f *Fleet) untilUp(ctx context.Context, m *member) error {
	return f.until(ctx, m.Name+" to be up", func() (bool, error) {
		if m.State == harness.MemberDead {
			return false, fmt.Errorf("%s ended while starting%s", m.Name, logTail(m.current.log))
		}
		return m.current.ready, nil
	})
}

// command sends a command and waits until it is obeyed.
func (f *Fleet) command(ctx context.Context, m *member, c protocol.Command) error {
	f.mu.Lock()
	i, alive := m.current, m.alive()
	var id uint64
	var err error
	if alive {
		id, err = i.tell(c)
	}
	f.mu.Unlock()
	if !alive {
		return fmt.Errorf("%s %s: it is dead", c.Do, m.Name)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", m.Name, err)
	}
	return f.until(ctx, fmt.Sprintf("%s to obey %s", m.Name, c.Do), func() (bool, error) {
		if said, ok := i.obeyed[id]; ok && said != "" {
			return false, fmt.Errorf("%s %s: %s", c.Do, m.Name, said)
		} else if ok {
			return true, nil
		}
		if m.current != i || m.State == harness.MemberDead {
			return false, fmt.Errorf("%s %s: it died", c.Do, m.Name)
		}
		return false, nil
	})
}
