package causes

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/rows"
)

// splitGivenUp takes the losses that no member of a share group ever acknowledged out of rest: the brokers stopped handing
// them out.
func (l *Losses) splitGivenUp(e *rows.Row, rest *keyset.Set) *keyset.Set {
	if !e.Layout.ShareGroup {
		return rest
	}
	l.givenUp = rest.Minus(e.Acknowledged(true))
	l.add(ByGivingUp, l.givenUp.Len())
	return rest.Minus(l.givenUp)
}

// shareText says why a share group hands a lost record to nobody.
func shareText(e *rows.Row, a *harness.Anomaly, k keyset.Key) string {
	start := e.Passed[e.InputOf(k.Class)]
	if a.Cause == ByGivingUp {
		return fmt.Sprintf(", handed out and never acknowledged, and the share group now starts at %d", start)
	}
	return fmt.Sprintf(", acknowledged, or below the share group's start %d", start)
}
