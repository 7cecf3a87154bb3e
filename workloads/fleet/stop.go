package fleet

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/chaeos/chaeos/workloads/protocol"
)

const (
	// stopMargin is the part of a stop's time that is left for killing and reaping processes that don't end.
	stopMargin = 2 * time.Second
	// stopDefault bounds a stop whose context has no deadline.
	stopDefault = 30 * time.Second
	// reapWithin bounds the reaping of a SIGKILLed process.
	reapWithin = 10 * time.Second
)

// StopSources ends the sources in order. One that doesn't end in time is killed, which is an incident.
func (f *Fleet) StopSources(ctx context.Context) error {
	return f.stopRole(ctx, protocol.RoleSource)
}

// StopWorkers ends the workers in order, then reaps every process.
func (f *Fleet) StopWorkers(ctx context.Context) error {
	return errors.Join(f.stopRole(ctx, protocol.RoleWorker), f.stopRole(ctx, protocol.RoleService), f.Close(context.WithoutCancel(ctx)))
}

func (f *Fleet) stopRole(ctx context.Context, role string) error {
	ctx, within, cancel := stopping(ctx)
	defer cancel()
	return f.each(role, func(m *member) error { return f.stop(ctx, m, within) })
}

// Stop lets one member end in order: it finishes what it holds, commits and leaves. One that doesn't end by the context's
// deadline is killed, which is an incident.
func (f *Fleet) Stop(ctx context.Context, name string) error {
	m, _, err := f.living(name)
	if err != nil {
		return err
	}
	ctx, within, cancel := stopping(ctx)
	defer cancel()
	return f.stop(ctx, m, within)
}

// stopping is how long members have to end in order, and a context that leaves time to kill them after that.
func stopping(ctx context.Context) (context.Context, time.Duration, context.CancelFunc) {
	within := stopDefault
	if deadline, ok := ctx.Deadline(); ok {
		within = max(time.Until(deadline)-stopMargin, time.Until(deadline)/2)
	}
	ctx, cancel := context.WithTimeout(ctx, within+stopMargin)
	return ctx, within, cancel
}

// stop tells a member to end within the time, and kills it when ctx is done before that.
func (f *Fleet) stop(ctx context.Context, m *member, within time.Duration) error {
	f.mu.Lock()
	i := m.current
	i.stopped = true
	_, err := i.tell(protocol.Command{Do: protocol.Stop, Within: within})
	f.mu.Unlock()
	if err == nil {
		_ = i.process.Signal(syscall.SIGCONT) // a paused one could not obey; one that has ended needs nothing
		if err = i.await(ctx); err == nil {
			return nil
		}
	}
	f.update(func() {
		f.incidents = append(f.incidents, fmt.Sprintf("%s (incarnation %d) did not end when asked to and was killed%s", m.Name, m.Incarnation, logTail(i.log)))
	})
	reaping, cancel := context.WithTimeout(context.WithoutCancel(ctx), reapWithin)
	defer cancel()
	return f.kill(reaping, m, i)
}

// Close kills and reaps whatever still runs.
func (f *Fleet) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, reapWithin)
	defer cancel()
	kill := func(m *member) error {
		f.mu.Lock()
		i := m.current
		f.mu.Unlock()
		return f.kill(ctx, m, i)
	}
	return errors.Join(f.each(protocol.RoleSource, kill), f.each(protocol.RoleWorker, kill), f.each(protocol.RoleService, kill))
}
