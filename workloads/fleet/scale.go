package workloads

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness"
)

// Stop lets one member end in order: it finishes what it holds, commits and leaves. One that doesn't end by the context's
// deadline is killed, which is an incident.
func (f *Fleet) Stop(ctx context.Context, name string) error {
	m, _, err := f.living(name)
	if err != nil {
		return err
	}
	within := stopDefault
	if deadline, ok := ctx.Deadline(); ok {
		within = max(time.Until(deadline)-stopMargin, time.Until(deadline)/2)
	}
	ctx, cancel := context.WithTimeout(ctx, within+stopMargin)
	defer cancel()
	return f.stop(ctx, m, within)
}

// Add starts one more worker of a pipeline, and returns its name once it is up.
func (f *Fleet) Add(ctx context.Context, pipeline string) (string, error) {
	m, err := f.another(pipeline)
	if err != nil {
		return "", err
	}
	if err := f.begin(ctx, m); err != nil {
		return m.Name, err
	}
	return m.Name, f.untilUp(ctx, m)
}

// another plans a worker with the pipeline's next number, and ids that no other has.
func (f *Fleet) another(pipeline string) (*member, error) {
	layout, err := f.spec.Plan.Pipeline(pipeline)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	next := -1
	for _, m := range f.members {
		if m.Role == roleWorker && m.Pipeline == pipeline {
			next = max(next, m.Number+1)
		}
	}
	if next < 0 {
		return nil, fmt.Errorf("pipeline %s has no workers", pipeline)
	}
	m := planWorker(f.spec, layout, next)
	if layout.Transactional && m.template.TransactionalID == "" {
		m.template.TransactionalID = harness.CoordinatedID(fmt.Sprintf("%s-%d", layout.Output, next))
	}
	f.members = append(f.members, m)
	slices.SortFunc(f.members, func(a, b *member) int { return strings.Compare(a.Name, b.Name) })
	return m, nil
}

// Rename gives a dead member another transactional id for its next incarnation: nobody fences what the last one left
// open.
func (f *Fleet) Rename(name string) error {
	m, err := f.find(name)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if m.State != harness.MemberDead {
		return fmt.Errorf("rename %s: it is %s", name, m.State)
	}
	if m.template.TransactionalID != "" {
		m.template.TransactionalID = harness.CoordinatedID(fmt.Sprintf("%s.%d", m.template.TransactionalID, len(m.histories)+1))
	}
	return nil
}

// untilUp waits until a member that was started says that it is up.
func (f *Fleet) untilUp(ctx context.Context, m *member) error {
	return f.until(ctx, m.Name+" to be up", func() (bool, error) {
		if m.State == harness.MemberDead {
			return false, fmt.Errorf("%s ended while starting", m.Name)
		}
		return m.life.ready, nil
	})
}
