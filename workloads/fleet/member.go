package fleet

import (
	"os"
	"path/filepath"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/workloads/protocol"
)

// member is one source or worker, or the service, over its incarnations. Its fields are guarded by the fleet's mutex.
type member struct {
	harness.Member
	program Program
	// template is the specification of every incarnation, but for what changes.
	template protocol.Spec
	// current is the newest incarnation, nil before the first.
	current *incarnation
	// before are the counters of earlier incarnations, now those of the running one.
	before, now protocol.Counters
	histories   []harness.HistoryRecord
}

func newMember(program Program, s protocol.Spec) *member {
	m := &member{program: program, template: s}
	m.Name, m.Role, m.Pipeline, m.Number, m.State = s.Name, s.Role, s.Pipeline, int(s.Number), harness.MemberDead
	return m
}

// hear updates the member by one event.
func (m *member) hear(e protocol.Event) {
	switch e.Event {
	case protocol.Ready:
		m.current.ready = true
		if e.Address != "" {
			m.template.Service = e.Address
		}
	case protocol.Assigned:
		m.current.assigned = true
		m.Partitions = e.Partitions
	case protocol.Progress:
		m.now = e.Counters
	case protocol.Waiting:
		m.WaitingAt, m.Held = e.Phase, e.Held
	case protocol.Obeyed:
		m.current.obeyed[e.ID] = e.Error
	case protocol.Failed:
		m.current.failure = e.Error
	}
}

// ended closes the books on the incarnation: its process is reaped.
func (m *member) ended(dir string) {
	m.State, m.Pid, m.Partitions, m.WaitingAt, m.Held = harness.MemberDead, 0, nil, "", 0
	m.before.Intended += m.now.Intended
	m.before.Acked += m.now.Acked
	m.before.Processed += m.now.Processed
	m.now = protocol.Counters{}
	h := &m.histories[len(m.histories)-1]
	h.Killed = m.current.killed
	if info, err := os.Stat(filepath.Join(dir, h.File)); err == nil {
		h.Bytes = info.Size()
	}
}

// record is the record of the running incarnation's history.
func (m *member) record() harness.HistoryRecord {
	return harness.HistoryRecord{
		File: m.current.history, Process: m.Name, Role: m.Role, Pipeline: m.Pipeline,
		Number: m.Number, Incarnation: m.Incarnation,
	}
}
