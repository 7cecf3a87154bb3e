package fleet

import (
	"context"
	"fmt"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/workloads/protocol"
)

// Add starts one more worker of a pipeline, and returns its name once it is up.
func (f *Fleet) Add(ctx context.Context, pipeline string) (string, error) {
	m, err := f.another(pipeline)
	if err != nil {
		return "", err
	}
	if err := f.start(ctx, m); err != nil {
		return m.Name, err
	}
	return m.Name, f.untilUp(ctx, m)
}

// another plans a worker with the pipeline's next number, and ids that no other worker has.
func (f *Fleet) another(pipeline string) (*member, error) {
	layout, err := f.spec.Plan.Pipeline(pipeline)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	next := -1
	for _, m := range f.members {
		if m.Role == protocol.RoleWorker && m.Pipeline == pipeline {
			next = max(next, m.Number+1)
		}
	}
	if next < 0 {
		return nil, fmt.Errorf("pipeline %s has no workers", pipeline)
	}
	m := f.planWorker(layout, next)
	if layout.Transactional && m.template.TransactionalID == "" {
		m.template.TransactionalID = harness.CoordinatedID(fmt.Sprintf("%s-%d", layout.Output, next))
	}
	f.members = append(f.members, m)
	slices.SortFunc(f.members, byName)
	return m, nil
}

// Rename gives a dead member another transactional id for its next incarnation: nothing fences what the last one left
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
