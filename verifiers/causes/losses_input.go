package causes

import (
	"fmt"
	"sync"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/saved"
)

// InputLosses are the sources' acknowledged records that are not in the input log, and why. They are the same for every
// pipeline that reads the topic, charged to none, and found once.
type InputLosses struct {
	run   *saved.Run
	in    *logs.Input
	keep  rows.Keep
	mutex sync.Mutex
	known map[uint16]*MissingAcks
}

// NewInputLosses makes those of a run's input, to be found when they are asked for.
func NewInputLosses(r *saved.Run, in *logs.Input, keep rows.Keep) *InputLosses {
	return &InputLosses{run: r, in: in, keep: keep, known: map[uint16]*MissingAcks{}}
}

// Of are those of a subject's source, nil where it is itself under test.
func (l *InputLosses) Of(subject *rows.Subject) (*MissingAcks, error) {
	if subject.SourceUnderTest() {
		return nil, nil
	}
	return l.OfSource(subject.Layout.Source, subject.Source)
}

// OfSource are those of a source.
func (l *InputLosses) OfSource(number uint16, s *saved.Source) (*MissingAcks, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	r, in := l.run, l.in
	if known := l.known[number]; known != nil {
		return known, nil
	}
	held := in.Held[number]
	if held == nil {
		held = keyset.New()
	}
	m := &MissingAcks{
		run: r, keep: l.keep, source: s, Missing: s.Acked.Minus(held).Where(in.Whole), parts: in.Parts,
		truncated: findTruncations(in.Parts, r.Live), By: map[string]uint64{},
	}
	if m.Missing.Len() > 0 {
		if err := m.find(number); err != nil {
			return nil, err
		}
	}
	for i := range m.First {
		a := &m.First[i]
		a.Kind = harness.AnomalyAckedAbsent
		if a.Ack == nil { // sent with acks=0
			a.Text = fmt.Sprintf("sequence %d: %s", a.Record.Sequence, a.Cause)
			continue
		}
		a.Text = fmt.Sprintf("sequence %d acked at %s/%d offset %d (%s): %s", a.Record.Sequence, r.Record.Plan.Input, a.Ack.Partition, a.Ack.Offset, a.Ack.Now, a.Cause)
		if t := a.Truncation; t != nil {
			a.Text += betweenEpochs(t)
		}
	}
	l.known[number] = m
	return m, nil
}
