package workloads

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/chaeos/chaeos/harness"
)

const (
	// stopMargin is what is left of a stop's time for killing and reaping those that don't end.
	stopMargin = 2 * time.Second
	// stopDefault bounds a stop whose context has no deadline.
	stopDefault = 30 * time.Second
	// reapWithin bounds the reaping of a SIGKILLed process.
	reapWithin = 10 * time.Second
)

// Kill ends a member's process at once and reaps it.
func (f *Fleet) Kill(ctx context.Context, name string) error {
	m, l, err := f.living(name)
	if err != nil {
		return err
	}
	return f.kill(ctx, m, l)
}

func (f *Fleet) kill(ctx context.Context, m *member, l *life) error {
	f.update(func() { l.killed = true })
	if err := l.process.Kill(); err != nil {
		return fmt.Errorf("kill %s: %w", m.Name, err)
	}
	if err := l.await(ctx); err != nil {
		return fmt.Errorf("kill %s: not reaped: %w", m.Name, err)
	}
	return nil
}

// Pause stops a member's process (SIGSTOP) and returns when the kernel has stopped all of it.
func (f *Fleet) Pause(ctx context.Context, name string) error {
	m, l, err := f.living(name)
	if err != nil {
		return err
	}
	if err := l.process.Pause(ctx); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	f.mark(m, harness.MemberPaused)
	return nil
}

// Resume continues a paused member's process.
func (f *Fleet) Resume(_ context.Context, name string) error {
	m, l, err := f.living(name)
	if err != nil {
		return err
	}
	if err := l.process.Resume(); err != nil {
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

// Restart starts a new incarnation of a dead member and returns when it is up; a source goes on sending, from the first
// sequence that no incarnation before it intended.
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
	if err := f.begin(ctx, m); err != nil {
		return err
	}
	err = f.untilUp(ctx, m)
	if err != nil || m.Role != roleSource || !fed {
		return err
	}
	return f.command(ctx, m, command{Do: doFeed})
}

// Arm tells a worker to wait when it next reaches the phase.
func (f *Fleet) Arm(ctx context.Context, name, phase string) error {
	return f.ArmAfter(ctx, name, phase, 0)
}

// ArmAfter tells a worker to wait when it reaches the phase after so many passes. One that waits goes on from there; one
// that another fault armed and that does not wait yet is an error.
func (f *Fleet) ArmAfter(ctx context.Context, name, phase string, passes uint64) error {
	m, err := f.find(name)
	if err != nil {
		return err
	}
	f.update(func() { m.WaitingAt, m.Held = "", 0 }) // before the worker can announce that it waits anew
	return f.command(ctx, m, command{Do: doArm, Phase: phase, Passes: passes})
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
	if err := f.command(ctx, m, command{Do: doRelease}); err != nil {
		return err
	}
	f.update(func() { m.WaitingAt, m.Held = "", 0 })
	return nil
}

// StopSources ends the sources in order. One that doesn't end in time is killed, which is an incident.
func (f *Fleet) StopSources(ctx context.Context) error { return f.stopRole(ctx, roleSource) }

// StopWorkers ends the workers in order, then reaps every process.
func (f *Fleet) StopWorkers(ctx context.Context) error {
	return errors.Join(f.stopRole(ctx, roleWorker), f.stopRole(ctx, roleService), f.Close(context.WithoutCancel(ctx)))
}

func (f *Fleet) stopRole(ctx context.Context, role string) error {
	within := stopDefault
	if deadline, ok := ctx.Deadline(); ok {
		within = max(time.Until(deadline)-stopMargin, time.Until(deadline)/2)
	}
	ctx, cancel := context.WithTimeout(ctx, within+stopMargin)
	defer cancel()
	return f.each(role, func(m *member) error { return f.stop(ctx, m, within) })
}

// stop tells a member to end within the time, and kills it when ctx is done before that.
func (f *Fleet) stop(ctx context.Context, m *member, within time.Duration) error {
	f.mu.Lock()
	l := m.life
	l.stopped = true
	_, err := l.send(command{Do: doStop, Within: within})
	f.mu.Unlock()
	if err == nil {
		_ = l.process.Signal(syscall.SIGCONT) // a paused one could not obey; an ended one needs nothing
		if err = l.await(ctx); err == nil {
			return nil
		}
	}
	f.update(func() {
		f.incidents = append(f.incidents, fmt.Sprintf("%s (incarnation %d) did not end when told to and was killed%s", m.Name, m.Incarnation, logTail(l.log)))
	})
	reaping, cancel := context.WithTimeout(context.WithoutCancel(ctx), reapWithin)
	defer cancel()
	return f.kill(reaping, m, l)
}

// Close kills and reaps whatever still runs.
func (f *Fleet) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, reapWithin)
	defer cancel()
	kill := func(m *member) error {
		f.mu.Lock()
		l := m.life
		f.mu.Unlock()
		return f.kill(ctx, m, l)
	}
	return errors.Join(f.each(roleSource, kill), f.each(roleWorker, kill), f.each(roleService, kill))
}

// command sends a command and waits until it is obeyed.
func (f *Fleet) command(ctx context.Context, m *member, c command) error {
	f.mu.Lock()
	l := m.life
	alive := l != nil && m.State != harness.MemberDead
	var id uint64
	var err error
	if alive {
		id, err = l.send(c)
	}
	f.mu.Unlock()
	if !alive {
		return fmt.Errorf("%s %s: it is dead", c.Do, m.Name)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", m.Name, err)
	}
	return f.until(ctx, fmt.Sprintf("%s to obey %s", m.Name, c.Do), func() (bool, error) {
		if said, ok := l.obeyed[id]; ok && said != "" {
			return false, fmt.Errorf("%s %s: %s", c.Do, m.Name, said)
		} else if ok {
			return true, nil
		}
		if m.life != l || m.State == harness.MemberDead {
			return false, fmt.Errorf("%s %s: it died", c.Do, m.Name)
		}
		return false, nil
	})
}

// each calls fn for every living member of a role at once, and joins the errors.
func (f *Fleet) each(role string, fn func(*member) error) error {
	f.mu.Lock()
	living := slices.DeleteFunc(slices.Clone(f.members), func(m *member) bool {
		return m.Role != role || m.life == nil || m.State == harness.MemberDead
	})
	f.mu.Unlock()
	errs := make([]error, len(living))
	var all sync.WaitGroup
	for i, m := range living {
		all.Go(func() { errs[i] = fn(m) })
	}
	all.Wait()
	return errors.Join(errs...)
}

func (f *Fleet) find(name string) (*member, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.members {
		if m.Name == name {
			return m, nil
		}
	}
	return nil, fmt.Errorf("the run has no member %q", name)
}

func (f *Fleet) living(name string) (*member, *life, error) {
	m, err := f.find(name)
	if err != nil {
		return nil, nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if m.life == nil || m.State == harness.MemberDead {
		return nil, nil, fmt.Errorf("%s is dead: %w", name, os.ErrProcessDone)
	}
	return m, m.life, nil
}
