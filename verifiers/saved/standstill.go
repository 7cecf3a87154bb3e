package saved

import (
	"time"

	"github.com/chaeos/chaeos/harness/history"
)

// The observer samples once each SampleInterval. What lies in a gap of more than GapIntervals of them was not observed.
const (
	SampleInterval = 100 * time.Millisecond
	GapIntervals   = 3
)

// Stall is a time during which a partition's last stable offset stayed the same, below its high watermark.
type Stall struct {
	LSO, Held  int64
	Start, End history.Time
	// Open means that it had not advanced by the last sample.
	Open bool
}

// Length is how long it lasted.
func (s Stall) Length() time.Duration { return s.End.Sub(s.Start) }

// gap is a time without samples.
type gap struct{ From, To history.Time }

// standstill follows one partition's samples, in the order in which they were written, and keeps its stalls and gaps. A last
// stable offset never goes down, so one that is the same after a pause (a gap, or no leader) stayed the same throughout.
type standstill struct {
	last    history.Time
	epoch   int32
	current *Stall
	stalls  []Stall
	gaps    []gap
	Sampled bool
}

func (s *standstill) add(e *history.Sample) {
	if e.Broker >= 0 && e.LeaderEpoch < s.epoch {
		return // a cut-off leader answers with frozen values
	}
	if s.last != 0 && e.At.Sub(s.last) > GapIntervals*SampleInterval {
		s.gaps = append(s.gaps, gap{s.last, e.At})
	}
	s.last = max(s.last, e.At)
	if e.Broker < 0 {
		return // no broker led it: nothing could be appended, nothing advanced
	}
	s.Sampled = true
	s.epoch = e.LeaderEpoch
	behind := e.LSO < e.HW
	if s.current != nil {
		s.current.End = e.At
		if behind && e.LSO == s.current.LSO {
			s.current.Held = max(s.current.Held, e.HW-e.LSO)
			return
		}
		s.stalls = keep(s.stalls, *s.current)
		s.current = nil
	}
	if behind {
		s.current = &Stall{LSO: e.LSO, Held: e.HW - e.LSO, Start: e.At, End: e.At}
	}
}

// Missing lists the times without samples, up to the last time at which anything was observed.
func (s *standstill) Missing(until history.Time) []gap {
	if until.Sub(s.last) <= GapIntervals*SampleInterval {
		return s.gaps
	}
	return append(s.gaps[:len(s.gaps):len(s.gaps)], gap{s.last, until})
}

// keep drops standstills that no threshold would count: at every second sample of a busy partition there is one.
func keep(stalls []Stall, s Stall) []Stall {
	if s.Length() <= 2*SampleInterval {
		return stalls
	}
	return append(stalls, s)
}

// Longer returns the stalls that lasted longer than a threshold after a moment; what came before it does not count.
func (s *standstill) Longer(threshold time.Duration, since history.Time) []Stall {
	all := s.stalls
	if s.current != nil {
		last := *s.current
		last.Open = true
		all = append(all[:len(all):len(all)], last)
	}
	var found []Stall
	for _, x := range all {
		x.Start = max(x.Start, since)
		if x.Length() > threshold {
			found = append(found, x)
		}
	}
	return found
}
