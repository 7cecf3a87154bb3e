package verifiers_test

import (
	"github.com/chaeos/chaeos/verifiers/observation"
)

// markerOf takes hold of an output log and of a marker that commits data of its producer there; at is its number.
func (m *mutant) markerOf() (l *mutatedLog, at int) {
	if !m.row.Transactional {
		return nil, -1
	}
	l = m.anyOutput()
	var all []int
	open := map[int64]bool{}
	for i, b := range l.batches {
		switch {
		case !b.Control:
			open[b.ProducerID] = true
		case open[b.ProducerID] && b.Marker == observation.MarkerCommit:
			all = append(all, i)
			open[b.ProducerID] = false
		}
	}
	if len(all) == 0 {
		return l, -1
	}
	return l, pick(m, all)
}

func onMarker(do func(m *mutant, l *mutatedLog, at int) bool) func(m *mutant) bool {
	return func(m *mutant) bool {
		l, at := m.markerOf()
		return at >= 0 && do(m, l, at)
	}
}

// markerMutations change control records.
var markerMutations = []mutation{
	{"a commit marker that aborts", exactness, "", onMarker(func(_ *mutant, l *mutatedLog, at int) bool {
		l.batches[at].Marker = observation.MarkerAbort
		l.endAt(l.index.HW)
		return true
	})},
	{"a marker dropped", exactness, "", onMarker(func(_ *mutant, l *mutatedLog, at int) bool {
		l.batches = append(l.batches[:at:at], l.batches[at+1:]...)
		l.renumber()
		return true
	})},
	{"a marker before its data", exactness, "", onMarker(func(_ *mutant, l *mutatedLog, at int) bool {
		before := l.batches[at-1]
		if before.Control || before.ProducerID != l.batches[at].ProducerID {
			return false
		}
		l.batches[at-1], l.batches[at] = l.batches[at], before
		l.renumber()
		return true
	})},
	{"a marker behind its producer's next data", exactness, "", onMarker(func(_ *mutant, l *mutatedLog, at int) bool {
		if at+1 >= len(l.batches) || l.batches[at+1].Control || l.batches[at+1].ProducerID != l.batches[at].ProducerID {
			return false
		}
		l.batches[at+1], l.batches[at] = l.batches[at], l.batches[at+1]
		l.renumber()
		return true
	})},
	{"a marker of an older producer epoch", exactness, "", onMarker(func(_ *mutant, l *mutatedLog, at int) bool {
		for i := at - 1; i >= 0; i-- {
			if b := l.batches[i]; !b.Control && b.ProducerID == l.batches[at].ProducerID {
				l.batches[at].ProducerEpoch = b.ProducerEpoch - 1
				return true
			}
		}
		return false
	})},
	{"a marker of another producer", exactness, "", onMarker(func(_ *mutant, l *mutatedLog, at int) bool {
		l.batches[at].ProducerID += 100_000
		return true
	})},
	{"a marker of an older coordinator epoch", exactness, "", onMarker(func(_ *mutant, l *mutatedLog, at int) bool {
		for i := at - 1; i >= 0; i-- {
			if b := l.batches[i]; b.Control && b.ProducerID == l.batches[at].ProducerID {
				l.batches[at].CoordinatorEpoch = b.CoordinatorEpoch - 1
				return b.CoordinatorEpoch > 0
			}
		}
		return false
	})},
	{"a marker again, right after itself", exactness, "", onMarker(func(_ *mutant, l *mutatedLog, at int) bool {
		again := *l.batches[at]
		l.batches = append(l.batches[:at+1:at+1], append([]*observation.Batch{&again}, l.batches[at+1:]...)...)
		l.renumber()
		return true
	})},
}
