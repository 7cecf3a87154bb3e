package checks

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/words"
)

// checkUnprocessed counts inputs that no committed position has passed and that have no output.
func checkUnprocessed(e *Facts, n *harness.Numbers) []Finding {
	n.Unprocessed = e.Unprocessed.Len()
	var found []Finding
	if !e.Layout.ProducerOnly && !e.HaveFinal {
		found = doubt("the group's committed positions are not known")
	}
	if n.Unprocessed == 0 {
		return found
	}
	return append(found, doubt("%s of %s inputs were not processed, e.g. %s", words.Number(n.Unprocessed), words.Number(n.Input), e.RecordName(e.Unprocessed.First(1)[0]))...)
}
