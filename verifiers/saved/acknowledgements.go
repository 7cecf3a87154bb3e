package saved

import (
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/keyset"
)

// acknowledged notes what a worker acknowledged to its share group. One whose outcome it never learnt counts as an unknown
// commit.
func (w *Worker) acknowledged(outcome history.Outcome, ranges []history.OffsetRange) {
	into := &w.Accepted
	if outcome != history.OutcomeConfirmed {
		w.UnknownCommits.N++
		into = &w.Sent
	}
	if *into == nil {
		*into = keyset.New()
	}
	for _, r := range ranges {
		if r.From >= 0 {
			(*into).AddRange(r.Partition, uint64(r.From), uint64(max(r.From, r.To)))
		}
	}
}

// leftAcking turns an acknowledgement that was begun and never answered into one with an unknown outcome.
func (w *Worker) leftAcking() {
	if len(w.acking) > 0 {
		w.acknowledged(history.OutcomeUnknown, w.acking)
		w.acking = w.acking[:0]
	}
}
