package verifiers

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/keyset"
)

// acknowledged notes what a worker acknowledged to its share group. One whose outcome it never learnt counts as an unknown
// commit.
func (w *worker) acknowledged(outcome history.Outcome, ranges []history.OffsetRange) {
	into := &w.accepted
	if outcome != history.OutcomeConfirmed {
		w.unknownCommits.n++
		into = &w.sent
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
func (w *worker) leftAcking() {
	if len(w.acking) > 0 {
		w.acknowledged(history.OutcomeUnknown, w.acking)
		w.acking = w.acking[:0]
	}
}

// done are the inputs that a share group's members acknowledged, by partition and offset: nobody is handed them again.
// With sent, also those of which they never learnt whether the brokers took it.
func (e *evidence) done(sent bool) *keyset.Set {
	all := keyset.New()
	for _, w := range e.workers {
		if w.accepted != nil {
			all.Union(w.accepted)
		}
		if sent && w.sent != nil {
			all.Union(w.sent)
		}
	}
	return all
}

// splitGivenUp takes the losses that no member of a share group ever acknowledged out of rest: the brokers stopped handing
// them out.
func (l *losses) splitGivenUp(e *evidence, rest *keyset.Set) *keyset.Set {
	if !e.layout.ShareGroup {
		return rest
	}
	l.givenUp = rest.Minus(e.done(true))
	l.add(byGivingUp, l.givenUp.Len())
	return rest.Minus(l.givenUp)
}

// shareText says why a share group hands a lost record to nobody.
func (e *evidence) shareText(a *harness.Anomaly, k keyset.Key) string {
	start := e.position[e.inputOf(k.Class)]
	if a.Cause == byGivingUp {
		return fmt.Sprintf(", handed out and never acknowledged, and the share group now starts at %d", start)
	}
	return fmt.Sprintf(", acknowledged, or below the share group's start %d", start)
}
