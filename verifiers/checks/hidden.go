package verifiers

import (
	"strings"

	"github.com/chaeos/chaeos/harness"
)

// checkHidden counts inputs whose only copies are at or above the last stable offset, or could be in a part of the log
// that was not read, and names the transactions that hide them.
func checkHidden(e *facts, n *harness.Numbers) []finding {
	n.Hidden = e.hidden.Len()
	var found []finding
	if e.unread > 0 {
		found = doubt("whether %s inputs have an output is not known: their output partitions were not read to their ends", number(e.unread))
	}
	if behind := n.Hidden - e.unread; behind > 0 {
		found = append(found, doubt("%s inputs are hidden behind an open transaction: %s", number(behind), blockers(e))...)
	}
	return found
}

// blockers names the transactions that hide inputs.
func blockers(e *facts) string {
	if len(e.open) == 0 {
		return "none is listed"
	}
	var all []string
	for i := range e.open {
		all = append(all, describeHanging(&e.open[i]))
	}
	return strings.Join(all, "; ")
}
