package verifiers

import (
	"strings"

	"github.com/chaeos/chaeos/harness"
)

// checkLost counts inputs that are not visible though their position was passed (or, where the source is under test,
// though they were acknowledged), by cause.
func checkLost(e *evidence, n *harness.Numbers) []finding {
	n.Lost = e.lost.Len()
	var found []finding
	for _, text := range e.losses.notes {
		found = append(found, note("%s", text)...)
	}
	if n.Lost == 0 {
		return found
	}
	n.LostBy = e.losses.by
	what := "committed inputs have no visible output"
	if e.layout.ProducerOnly {
		what = "acknowledged records are not in the log"
		if e.source.sent.Len() > 0 {
			what = "sent records are not in the log"
		}
	}
	return append(found, breaks(noLoss, "%s of %s %s (%s), e.g. %s", number(n.Lost), number(n.Input), what, counts(n.LostBy), strings.Join(e.losses.examples, "; "))...)
}
