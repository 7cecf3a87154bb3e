package workloads

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/chaeos/chaeos/harness"
)

// Fleet is a run's sources and workers, each an operating-system process that dies with this one.
type Fleet struct {
	spec harness.FleetSpec

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

// NewFleet plans a fleet: no process is started yet. It makes the folders for histories and logs.
func NewFleet(spec harness.FleetSpec) (*Fleet, error) {
	if len(spec.Command) == 0 {
		return nil, errors.New("fleet: no command to run workers with")
	}
	for _, sub := range []string{"history", "processes"} {
		if err := os.MkdirAll(filepath.Join(spec.Dir, sub), 0o755); err != nil {
			return nil, fmt.Errorf("fleet: %w", err)
		}
	}
	members, err := planMembers(spec)
	if err != nil {
		return nil, fmt.Errorf("fleet: %w", err)
	}
	return &Fleet{spec: spec, members: members, changed: make(chan struct{})}, nil
}

// Start starts every process, and returns once every worker pipeline holds all input partitions between its workers:
// later assignments are then the faults' doing.
func (f *Fleet) Start(ctx context.Context) error {
	if err := f.startService(ctx); err != nil {
		return err
	}
	for _, m := range f.members {
		if m.Role == roleService {
			continue
		}
		if err := f.begin(ctx, m); err != nil {
			return err
		}
	}
	return f.until(ctx, "the workers to share the input partitions", f.settled)
}

// Feed makes the sources send at their pace.
func (f *Fleet) Feed(ctx context.Context) error {
	f.mu.Lock()
	f.fed = true
	f.mu.Unlock()
	return f.each(roleSource, func(m *member) error { return f.command(ctx, m, command{Do: doFeed}) })
}

// Members lists all members, sorted by name.
func (f *Fleet) Members() []harness.Member {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []harness.Member
	for _, m := range f.members {
		snapshot := m.Member
		snapshot.Partitions = slices.Clone(m.Partitions)
		all = append(all, snapshot)
	}
	return all
}

// Offered is the number of records acknowledged into the pipeline's input, or, where the source is under test, handed
// to its client. It may lag by a tenth of a second.
func (f *Fleet) Offered(pipeline string) uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	var shared uint64
	for _, m := range f.members {
		switch {
		case m.Role == roleSource && m.Pipeline == pipeline:
			return m.before.Intended + m.now.Intended
		case m.Role == roleSource && m.Pipeline == "":
			shared = m.before.Acked + m.now.Acked
		}
	}
	return shared
}

// Acked is the number of records that the pipeline's source was told are stored; of all sources where the pipeline is "".
// It may lag by a tenth of a second.
func (f *Fleet) Acked(pipeline string) (n uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	own := slices.ContainsFunc(f.members, func(m *member) bool { return m.Role == roleSource && m.Pipeline == pipeline })
	for _, m := range f.members {
		mine := m.Pipeline == pipeline || m.Pipeline == "" && !own
		if m.Role == roleSource && (pipeline == "" || mine) {
			n += m.before.Acked + m.now.Acked
		}
	}
	return n
}

// Incidents lists members that ended without being told to, or had to be killed to end, with the end of their logs.
func (f *Fleet) Incidents() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.incidents)
}

// Histories lists every history file of every incarnation, by member.
func (f *Fleet) Histories() []harness.HistoryRecord {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []harness.HistoryRecord
	for _, m := range f.members {
		all = append(all, m.histories...)
	}
	return all
}

// begin starts a member's next incarnation.
func (f *Fleet) begin(ctx context.Context, m *member) error {
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
	events, err := m.spawn(f.spec.Command, f.spec.Dir, s)
	if err != nil {
		return fmt.Errorf("start %s: %w", m.Name, err)
	}
	m.histories = append(m.histories, m.record())
	l := m.life
	f.readers.Go(func() { f.read(m, l, events) })
	return nil
}

// read hears a process's events until its end, then closes its books.
func (f *Fleet) read(m *member, l *life, events *os.File) {
	defer close(l.gone)
	dec := json.NewDecoder(events)
	for {
		var e event
		if dec.Decode(&e) != nil {
			break // end of file, or a line cut short by a kill
		}
		f.update(func() { m.hear(e) })
	}
	_ = events.Close()
	_ = l.process.Wait(context.Background()) // its exit status is judged below
	f.update(func() {
		_ = l.stdin.Close()
		m.buried(f.spec.Dir)
		if text, ok := l.incident(); ok {
			f.incidents = append(f.incidents, fmt.Sprintf("%s (incarnation %d) %s", m.Name, m.Incarnation, text))
		}
	})
}

// update changes members and wakes whoever waits for that.
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

// settled says whether everyone is up and each worker pipeline holds every partition exactly once.
func (f *Fleet) settled() (bool, error) {
	held := map[string][]int32{}
	for _, m := range f.members {
		if m.State == harness.MemberDead {
			return false, fmt.Errorf("%s ended while starting: %s", m.Name, strings.Join(f.incidents, "; "))
		}
		if !m.life.ready || m.Role == roleWorker && !m.life.assigned {
			return false, nil
		}
		if m.Role == roleWorker {
			held[m.Pipeline] = append(held[m.Pipeline], m.Partitions...)
		}
	}
	for pipeline, partitions := range held {
		if !f.covered(pipeline, partitions) {
			return false, nil
		}
		if f.idle(pipeline) && f.spec.Plan.Partitions >= f.spec.Experiment.Workers {
			return false, nil // one still waits for its share
		}
	}
	return true, nil
}

// covered says that every partition is held: by one member each, or, in a share group, by one at least.
func (f *Fleet) covered(pipeline string, held []int32) bool {
	slices.Sort(held)
	each := slices.Compact(slices.Clone(held))
	l, err := f.spec.Plan.Pipeline(pipeline)
	return len(each) == f.spec.Plan.Partitions && (len(each) == len(held) || err == nil && l.ShareGroup)
}

func (f *Fleet) idle(pipeline string) bool {
	return slices.ContainsFunc(f.members, func(m *member) bool { return m.Pipeline == pipeline && m.Role == roleWorker && len(m.Partitions) == 0 })
}
