package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/together"
	"github.com/chaeos/chaeos/workloads/protocol"
)

// Fleet is a run's sources and workers, each an operating-system process that dies with this one.
type Fleet struct {
	spec     harness.FleetSpec
	programs map[string]Program

	mu sync.Mutex
	// members are sorted by name.
	members   []*member
	incidents []string
	fed       bool
	// changed is closed and replaced whenever a member changed.
	changed chan struct{}
	readers sync.WaitGroup
}

var _ harness.Fleet = (*Fleet)(nil)

// New plans a fleet: no process is started yet. It makes the folders for histories and logs. The workers of a pipeline in
// programs run that program; all other members run this executable.
func New(spec harness.FleetSpec, programs map[string]Program) (*Fleet, error) {
	if len(spec.Command) == 0 {
		return nil, errors.New("fleet: no command to run workers with")
	}
	for _, sub := range []string{"history", "processes"} {
		if err := os.MkdirAll(filepath.Join(spec.Dir, sub), 0o755); err != nil {
			return nil, fmt.Errorf("fleet: %w", err)
		}
	}
	f := &Fleet{spec: spec, programs: programs, changed: make(chan struct{})}
	f.members = f.plan()
	return f, nil
}

// Start starts every process, and returns once every input partition is assigned in every pipeline with workers: later
// assignments are then the faults' doing.
func (f *Fleet) Start(ctx context.Context) error {
	if err := f.startService(ctx); err != nil {
		return err
	}
	for _, m := range f.members {
		if m.Role == protocol.RoleService {
			continue
		}
		if err := f.start(ctx, m); err != nil {
			return err
		}
	}
	return f.until(ctx, "the workers to share the input partitions", f.allAssigned)
}

// Feed makes the sources send at their pace.
func (f *Fleet) Feed(ctx context.Context) error {
	f.mu.Lock()
	f.fed = true
	f.mu.Unlock()
	return f.each(protocol.RoleSource, func(m *member) error { return f.command(ctx, m, protocol.Command{Do: protocol.Feed}) })
}

// start starts a member's next incarnation.
func (f *Fleet) start(ctx context.Context, m *member) error {
	dials, err := f.spec.Cluster.ClientLinks(ctx, m.Name)
	if err != nil {
		return fmt.Errorf("links of %s: %w", m.Name, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	s := m.template
	s.Dials = dials
	s.Incarnation = uint32(len(m.histories)) + 1
	if s.First, err = firstSequence(f.spec.Dir, m.histories); err != nil {
		return fmt.Errorf("restart %s: %w", m.Name, err)
	}
	if err := m.start(f.spec.Dir, s); err != nil {
		return fmt.Errorf("start %s: %w", m.Name, err)
	}
	i := m.current
	f.readers.Go(func() { f.follow(m, i) })
	return nil
}

// follow hears a process's events until its end, then closes its books.
func (f *Fleet) follow(m *member, i *incarnation) {
	defer close(i.gone)
	for e, err := i.control.Hear(); err == nil; e, err = i.control.Hear() {
		f.update(func() { m.hear(e) })
	}
	_ = i.process.Wait(context.Background()) // its exit status is judged below
	f.update(func() {
		_ = i.control.Close()
		m.ended(f.spec.Dir)
		if text, ok := i.incident(); ok {
			f.incidents = append(f.incidents, fmt.Sprintf("%s (incarnation %d) %s", m.Name, m.Incarnation, text))
		}
	})
}

// update changes members and wakes whatever waits for that.
func (f *Fleet) update(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
	close(f.changed)
	f.changed = make(chan struct{})
}

// until waits until try, called under the mutex after each change, is done or fails.
func (f *Fleet) until(ctx context.Context, what string, try func() (bool, error)) error {
	for {
		f.mu.Lock()
		done, err := try()
		changed := f.changed
		f.mu.Unlock()
		if done || err != nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", what, context.Cause(ctx))
		}
	}
}

// each calls do for every living member of a role at once, and joins the errors.
func (f *Fleet) each(role string, do func(*member) error) error {
	f.mu.Lock()
	living := slices.DeleteFunc(slices.Clone(f.members), func(m *member) bool { return m.Role != role || !m.alive() })
	f.mu.Unlock()
	return together.Do(living, do)
}

func (m *member) alive() bool { return m.current != nil && m.State != harness.MemberDead }

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

func (f *Fleet) living(name string) (*member, *incarnation, error) {
	m, err := f.find(name)
	if err != nil {
		return nil, nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !m.alive() {
		return nil, nil, fmt.Errorf("%s is dead: %w", name, os.ErrProcessDone)
	}
	return m, m.current, nil
}
