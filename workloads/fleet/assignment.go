package fleet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/workloads/protocol"
)

// allAssigned reports whether every member is up and every partition is assigned in each pipeline with workers.
func (f *Fleet) allAssigned() (bool, error) {
	assigned := map[string][]int32{}
	for _, m := range f.members {
		if m.State == harness.MemberDead {
			return false, fmt.Errorf("%s ended while starting: %s", m.Name, strings.Join(f.incidents, "; "))
		}
		if !m.current.ready || m.Role == protocol.RoleWorker && !m.current.assigned {
			return false, nil
		}
		if m.Role == protocol.RoleWorker {
			assigned[m.Pipeline] = append(assigned[m.Pipeline], m.Partitions...)
		}
	}
	for pipeline, partitions := range assigned {
		if !f.covered(pipeline, partitions) {
			return false, nil
		}
		if f.idle(pipeline) && f.spec.Plan.Partitions >= f.spec.Experiment.Workers {
			return false, nil // one still waits for its share
		}
	}
	return true, nil
}

// covered reports whether every partition is assigned: to one member each or, in a share group, to at least one.
func (f *Fleet) covered(pipeline string, assigned []int32) bool {
	slices.Sort(assigned)
	each := slices.Compact(slices.Clone(assigned))
	l, err := f.spec.Plan.Pipeline(pipeline)
	return len(each) == f.spec.Plan.Partitions && (len(each) == len(assigned) || err == nil && l.ShareGroup)
}

// idle reports whether a worker of the pipeline has no partition.
func (f *Fleet) idle(pipeline string) bool {
	return slices.ContainsFunc(f.members, func(m *member) bool {
		return m.Pipeline == pipeline && m.Role == protocol.RoleWorker && len(m.Partitions) == 0
	})
}
