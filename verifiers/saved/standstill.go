package verifiers

import (
	"time"

	"github.com/chaeos/chaeos/harness/history"
)

const (
	// sampleInterval is the observer's; a gap of more than gapIntervals of them is not observed.
	sampleInterval = 100 * time.Millisecond
	gapIntervals   = 3
)

// stall is a time during which a partition's last stable offset stood still behind its high watermark.
type stall struct {
	lso, held  int64
	start, end history.Time
	// open says that it had not advanced by the last sample.
	open bool
}

func (s stall) length() time.Duration { return s.end.Sub(s.start) }

// gap is a time without samples.
type gap struct{ from, to history.Time }

// standstill follows one partition's samples, in the order they were written, and keeps its stalls and gaps. A last
// stable offset never goes down, so one that is the same after a pause (a gap, or no leader) stood still throughout.
type standstill struct {
	last    history.Time
	epoch   int32
	current *stall
	stalls  []stall
	gaps    []gap
	sampled bool
}

func (s *standstill) add(e *history.Sample) {
	if e.Broker >= 0 && e.LeaderEpoch < s.epoch {
		return // a cut-off leader answers with frozen values
	}
	if s.last != 0 && e.At.Sub(s.last) > gapIntervals*sampleInterval {
		s.gaps = append(s.gaps, gap{s.last, e.At})
	}
	s.last = max(s.last, e.At)
	if e.Broker < 0 {
		return // nobody led it: nothing could be appended, nothing advanced
	}
	s.sampled = true
	s.epoch = e.LeaderEpoch
	behind := e.LSO < e.HW
	if s.current != nil {
		s.current.end = e.At
		if behind && e.LSO == s.current.lso {
			s.current.held = max(s.current.held, e.HW-e.LSO)
			return
		}
		s.stalls = keep(s.stalls, *s.current)
		s.current = nil
	}
	if behind {
		s.current = &stall{lso: e.LSO, held: e.HW - e.LSO, start: e.At, end: e.At}
	}
}

// missing lists the times without samples, up to when anything was observed at all.
func (s *standstill) missing(until history.Time) []gap {
	if until.Sub(s.last) <= gapIntervals*sampleInterval {
		return s.gaps
	}
	return append(s.gaps[:len(s.gaps):len(s.gaps)], gap{s.last, until})
}

// keep drops standstills that no threshold would count: at every second sample of a busy partition there is one.
func keep(stalls []stall, s stall) []stall {
	if s.length() <= 2*sampleInterval {
		return stalls
	}
	return append(stalls, s)
}

// longer returns the stalls that stood for over a threshold after a moment; what they stood before it is cut off.
func (s *standstill) longer(threshold time.Duration, since history.Time) []stall {
	all := s.stalls
	if s.current != nil {
		last := *s.current
		last.open = true
		all = append(all[:len(all):len(all)], last)
	}
	var found []stall
	for _, x := range all {
		x.start = max(x.start, since)
		if x.length() > threshold {
			found = append(found, x)
		}
	}
	return found
}
