package verifiers

import (
	"maps"
	"slices"

	"github.com/chaeos/chaeos/harness/history"
)

// tp is a topic's partition.
type tp struct {
	topic     string
	partition int32
}

// liveLog is what the observer recorded.
type liveLog struct {
	// recorded says that an observer's history exists.
	recorded bool
	// until is the newest sample or delivery of any partition: what was sampled last before it has a gap at its end.
	until    history.Time
	standing map[tp]*standstill
	// seenTo is the end of what the live reader was given; highest the highest watermark by leader epoch.
	seenTo  map[tp]int64
	highest map[tp]map[int32]int64
	// logEnds are the highest log ends that leaders showed, by leader epoch; claims when brokers said that they lead.
	logEnds  map[tp]map[int32]int64
	claims   map[tp]map[int32]claim
	latency  map[string]latencies
	culprits culprits
	// released is what coordinators said of those transactions once they let go.
	released map[tpo64]*history.Released
}

// latencies are a pipeline's histograms so far: the last before the load began, and the last.
type latencies struct{ warm, last []byte }

func newLiveLog() *liveLog {
	return &liveLog{
		standing: map[tp]*standstill{}, seenTo: map[tp]int64{}, highest: map[tp]map[int32]int64{},
		logEnds: map[tp]map[int32]int64{}, claims: map[tp]map[int32]claim{}, latency: map[string]latencies{},
		culprits: culprits{}, released: map[tpo64]*history.Released{},
	}
}

func (l *liveLog) add(e history.Entry, loadStart history.Time) {
	switch e := e.(type) {
	case *history.Sample:
		l.sample(e)
	case *history.LogEnd:
		raise(l.logEnds, tp{e.Topic, e.Partition}, e.LeaderEpoch, e.End)
	case *history.Seen:
		l.until = max(l.until, e.At)
		at := tp{e.Topic, e.Partition}
		l.seenTo[at] = max(l.seenTo[at], e.To)
	case *history.Latency:
		x := l.latency[e.Pipeline]
		if e.At <= loadStart {
			x.warm = append(x.warm[:0], e.HDR...)
		}
		x.last = append(x.last[:0], e.HDR...)
		l.latency[e.Pipeline] = x
	case *history.Culprit:
		l.culprits.add(e)
	case *history.Released:
		copied := *e
		l.released[tpo64{tp{e.Topic, e.Partition}, e.LSO}] = &copied
	}
}

func (l *liveLog) sample(e *history.Sample) {
	l.until = max(l.until, e.At)
	at := tp{e.Topic, e.Partition}
	s, ok := l.standing[at]
	if !ok {
		s = &standstill{}
		l.standing[at] = s
	}
	s.add(e)
	if e.Broker < 0 {
		return
	}
	raise(l.highest, at, e.LeaderEpoch, e.HW)
	c, ok := l.claims[at][e.LeaderEpoch]
	if !ok {
		if l.claims[at] == nil {
			l.claims[at] = map[int32]claim{}
		}
		c.first = e.At
	}
	c.first, c.last = min(c.first, e.At), max(c.last, e.At)
	l.claims[at][e.LeaderEpoch] = c
}

// raise keeps the highest offset that an epoch showed.
func raise(m map[tp]map[int32]int64, at tp, epoch int32, offset int64) {
	if m[at] == nil {
		m[at] = map[int32]int64{}
	}
	m[at][epoch] = max(m[at][epoch], offset)
}

// claim is the time over which a broker said that it leads a partition in some epoch.
type claim struct{ first, last history.Time }

// epochAt is the oldest leader epoch whose high watermark reached an offset (-1: none was sampled that high).
func (l *liveLog) epochAt(at tp, offset int64) int32 {
	for _, epoch := range slices.Sorted(maps.Keys(l.highest[at])) {
		if l.highest[at][epoch] >= offset {
			return epoch
		}
	}
	return -1
}
