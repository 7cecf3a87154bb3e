package checks

import (
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/words"
)

// checkHidden counts inputs whose only copies are at or above the last stable offset, or could be in a part of the log
// that was not read, and names the transactions that hide them.
func checkHidden(e *Facts, n *harness.Numbers) []Finding {
	n.Hidden = e.Hidden.Len()
	var found []Finding
	if e.Unread > 0 {
		found = doubt("whether %s inputs have an output is not known: their output partitions were not read to their ends", words.Number(e.Unread))
	}
	if behind := n.Hidden - e.Unread; behind > 0 {
		found = append(found, doubt("%s inputs are hidden behind an open transaction: %s", words.Number(behind), blockers(e))...)
	}
	return found
}

// blockers names the transactions that hide inputs.
func blockers(e *Facts) string {
	if len(e.Open) == 0 {
		return "none is listed"
	}
	var all []string
	for i := range e.Open {
		all = append(all, describeHanging(&e.Open[i]))
	}
	return strings.Join(all, "; ")
}
