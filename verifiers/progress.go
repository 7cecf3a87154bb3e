package verifiers

import (
	"time"

	"github.com/chaeos/chaeos/harness/history"
)

// pause is a time during which a partition had input waiting and brought no new output. A pause that no output ended
// is open: it is counted up to the last supply, for what is lost would keep it waiting for ever.
type pause struct {
	start, end history.Time
	open       bool
}

func (p pause) length() time.Duration { return p.end.Sub(p.start) }

// pauses follows supply and progress from a moment on.
func pauses(supply, progress []point, from history.Time) []pause {
	var all []pause
	var offered, shown uint64
	var since history.Time
	waiting := false
	i := 0
	feed := func(until history.Time, inclusive bool) {
		for i < len(supply) && (supply[i].at < until || inclusive && supply[i].at == until) {
			offered += supply[i].n
			if !waiting && offered > shown {
				waiting, since = true, supply[i].at
			}
			i++
		}
	}
	for _, p := range progress {
		feed(p.at, true)
		if start := max(since, from); waiting && p.at > start {
			all = append(all, pause{start: start, end: p.at})
		}
		shown += p.n
		since, waiting = p.at, offered > shown
	}
	if n := len(supply); n > 0 {
		last := supply[n-1].at
		feed(last, true)
		if start := max(since, from); waiting && last > start {
			all = append(all, pause{start: start, end: last, open: true})
		}
	}
	return all
}

// supply is what was offered to a partition over time: acknowledged into the input topic, or handed to the client of a
// source under test.
func (e *evidence) supply(partition int32) *timeline {
	if e.layout.ProducerOnly {
		return e.source.handedOver.of(partition)
	}
	return e.source.ackedOver.of(partition)
}

// progress is what became visible in an output partition over time.
func (e *evidence) progress(partition int32) *timeline {
	l := e.run.live.progress[e.layout.Output]
	if l == nil {
		return &timeline{}
	}
	return l.of(partition)
}
