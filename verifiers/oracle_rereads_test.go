package verifiers

import (
	"slices"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/causes"
)

// acknowledged means that some member of a share group acknowledged an input, with one of these outcomes.
func (s *slowRow) acknowledged(k tpo, outcomes ...history.Outcome) bool {
	for _, l := range s.lives {
		for _, a := range l.acknowledgements {
			for _, r := range a.Ranges {
				if r.Partition == k.partition && k.offset >= r.From && k.offset < r.To && slices.Contains(outcomes, a.Outcome) {
					return true
				}
			}
		}
	}
	return false
}

// slowDelivery is how a copy's input came to its worker.
type slowDelivery struct {
	// began is the first poll of those that went on without going back, given the assignment that they began under.
	began *history.Polled
	given *history.Assigned
}

// delivery looks for the poll that a copy's input came with.
func (s *slowRow) delivery(c slowCopy) *slowDelivery {
	for _, l := range s.lives {
		if l.Incarnation != c.life() {
			continue
		}
		var given *history.Assigned
		var now *slowDelivery
		next := int64(0)
		for _, e := range l.entries {
			switch e := e.(type) {
			case *history.Assigned:
				if slices.Contains(e.Partitions, c.key.partition) {
					given, now = e, nil
				}
			case *history.Revoked:
				if slices.Contains(e.Partitions, c.key.partition) {
					now = nil
				}
			case *history.Polled:
				if e.Partition != c.key.partition {
					continue
				}
				if now == nil || e.From < next {
					now = &slowDelivery{began: e, given: given}
				}
				next = e.To
				if c.rec.Processing >= e.Processing && c.rec.Processing < e.Processing+e.Count {
					return now
				}
			}
		}
	}
	return nil
}

// reprocessed says why a copy of another processing is there: which worker read its input again after which.
func (s *slowRow) reprocessed(earlier, later slowCopy) string {
	if s.layout.ShareGroup {
		return causes.ByProcess + " after " + causes.RereadRedelivery
	}
	a, b := s.delivery(earlier), s.delivery(later)
	if a != nil && b != nil && a.began.At > b.began.At { // the log's order is not that of the deliveries
		a, b, earlier, later = b, a, later, earlier
	}
	why := causes.RereadRewind
	switch {
	case b == nil:
		return causes.ByProcess
	case earlier.rec.Worker != later.rec.Worker:
		why = causes.RereadRebalance
	case earlier.rec.Incarnation != later.rec.Incarnation:
		why = causes.RereadRestart
	case a != nil && a.given != b.given:
		why = causes.RereadRebalance
	}
	return causes.ByProcess + " after " + why
}
