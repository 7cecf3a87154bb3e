package fleet

import (
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/workloads/protocol"
)

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

// Offered is the number of records acknowledged into the pipeline's input, or, if the source is under test, handed to its
// client. It may lag by a tenth of a second.
func (f *Fleet) Offered(pipeline string) uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	var shared uint64
	for _, m := range f.members {
		switch {
		case m.Role == protocol.RoleSource && m.Pipeline == pipeline:
			return m.before.Intended + m.now.Intended
		case m.Role == protocol.RoleSource && m.Pipeline == "":
			shared = m.before.Acked + m.now.Acked
		}
	}
	return shared
}

// Acked is the number of records that were acknowledged to the pipeline's source, or to all sources if the pipeline is "".
// It may lag by a tenth of a second.
func (f *Fleet) Acked(pipeline string) (n uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	own := slices.ContainsFunc(f.members, func(m *member) bool { return m.Role == protocol.RoleSource && m.Pipeline == pipeline })
	for _, m := range f.members {
		mine := m.Pipeline == pipeline || m.Pipeline == "" && !own
		if m.Role == protocol.RoleSource && (pipeline == "" || mine) {
			n += m.before.Acked + m.now.Acked
		}
	}
	return n
}

// Incidents lists members that ended without being asked to, or had to be killed to end, with the end of their logs.
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
