package verifiers

import (
	"slices"
	"time"

	"github.com/chaeos/chaeos/harness/history"
)

// bucket is a timeline's resolution: events closer than this are added up.
const bucket = 10 * time.Millisecond

// timeline counts things over time.
type timeline struct {
	points []point
	sorted bool
}

type point struct {
	at history.Time
	n  uint64
}

func (t *timeline) add(at history.Time, n uint64) {
	if n == 0 {
		return
	}
	t.sorted = false
	if last := len(t.points) - 1; last >= 0 && at >= t.points[last].at && at.Sub(t.points[last].at) < bucket {
		t.points[last].n += n
		return
	}
	t.points = append(t.points, point{at, n})
}

func (t *timeline) all() []point {
	if !t.sorted {
		slices.SortStableFunc(t.points, func(a, b point) int { return int(min(1, max(-1, a.at-b.at))) })
		t.sorted = true
	}
	return t.points
}

// between is the count in [from, to).
func (t *timeline) between(from, to history.Time) (n uint64) {
	for _, p := range t.points {
		if p.at >= from && p.at < to {
			n += p.n
		}
	}
	return n
}

// firstSince is the first event at or after a moment.
func (t *timeline) firstSince(at history.Time) (history.Time, bool) {
	for _, p := range t.all() {
		if p.at >= at {
			return p.at, true
		}
	}
	return 0, false
}

// lines are timelines by partition.
type lines map[int32]*timeline

func (l lines) of(partition int32) *timeline {
	t, ok := l[partition]
	if !ok {
		t = &timeline{}
		l[partition] = t
	}
	return t
}
