package verifiers

import (
	"github.com/chaeos/chaeos/harness"
)

// checkDuplicates counts visible copies beyond the first, by cause.
func checkDuplicates(e *facts, n *harness.Numbers) []finding {
	n.Duplicates = e.out.copies - e.out.seen.Len()
	n.DuplicatedInputs = e.out.again.Len()
	if n.Duplicates == 0 {
		return nil
	}
	n.DuplicatesBy = e.duplicates.by
	var sum uint64
	for _, c := range n.DuplicatesBy {
		sum += c
	}
	if sum != n.Duplicates {
		return internal("the causes of duplicates add up to %d, duplicates are %d", sum, n.Duplicates)
	}
	x := e.duplicates.anomalies[0]
	found := with(breaks(noDuplicates, "%s extra copies of %s inputs are visible (%s), e.g. %s at %s",
		number(n.Duplicates), number(n.DuplicatedInputs), counts(n.DuplicatesBy), e.name(recordKey(x.Record, e.row)), places(e.row, x.Copies)), e.duplicates.anomalies)
	for i, x := range e.duplicates.rereads {
		if i == maxExamples {
			return append(found, note("and %d more restarts, rebalances, rewinds or redeliveries that doubled records", len(e.duplicates.rereads)-i)...)
		}
		found = append(found, note("%s", x.Text)...)
	}
	return found
}
