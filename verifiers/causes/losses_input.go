package verifiers

import (
	"fmt"
	"sync"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/keyset"
)

// inputLosses are the sources' acknowledged records that are not in the input log, and why. They are the same for every
// pipeline that reads the topic, charged to none, and found once.
type inputLosses struct {
	run   *run
	in    *inputLog
	keep  keeping
	mutex sync.Mutex
	known map[uint16]*missingAcks
}

func newInputLosses(r *run, in *inputLog, keep keeping) *inputLosses {
	return &inputLosses{run: r, in: in, keep: keep, known: map[uint16]*missingAcks{}}
}

// of are those of one source.
func (l *inputLosses) of(s *source, number uint16) (*missingAcks, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	r, in := l.run, l.in
	if known := l.known[number]; known != nil {
		return known, nil
	}
	held := in.held[number]
	if held == nil {
		held = keyset.New()
	}
	m := &missingAcks{
		run: r, keep: l.keep, source: s, missing: s.acked.Minus(held).Where(in.whole), parts: in.parts,
		truncated: findTruncations(in.parts, r.live), by: map[string]uint64{},
	}
	if m.missing.Len() > 0 {
		if err := m.find(number); err != nil {
			return nil, err
		}
	}
	for i := range m.first {
		a := &m.first[i]
		a.Kind = harness.AnomalyAckedAbsent
		if a.Ack == nil { // sent with acks=0
			a.Text = fmt.Sprintf("sequence %d: %s", a.Record.Sequence, a.Cause)
			continue
		}
		a.Text = fmt.Sprintf("sequence %d acked at %s/%d offset %d (%s): %s", a.Record.Sequence, r.record.Plan.Input, a.Ack.Partition, a.Ack.Offset, a.Ack.Holder, a.Cause)
		if t := a.Truncation; t != nil {
			a.Text += fmt.Sprintf(" between leader epochs %d and %d (%s)", t.OldEpoch, t.NewEpoch, t.SeenBy)
		}
	}
	l.known[number] = m
	return m, nil
}
