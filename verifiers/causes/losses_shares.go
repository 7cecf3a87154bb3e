package verifiers

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/keyset"
)

// splitGivenUp takes the losses that no member of a share group ever acknowledged out of rest: the brokers stopped handing
// them out.
func (l *losses) splitGivenUp(e *row, rest *keyset.Set) *keyset.Set {
	if !e.layout.ShareGroup {
		return rest
	}
	l.givenUp = rest.Minus(e.done(true))
	l.add(byGivingUp, l.givenUp.Len())
	return rest.Minus(l.givenUp)
}

// shareText says why a share group hands a lost record to nobody.
func shareText(e *row, a *harness.Anomaly, k keyset.Key) string {
	start := e.position[e.inputOf(k.Class)]
	if a.Cause == byGivingUp {
		return fmt.Sprintf(", handed out and never acknowledged, and the share group now starts at %d", start)
	}
	return fmt.Sprintf(", acknowledged, or below the share group's start %d", start)
}
