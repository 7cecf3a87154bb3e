package checks

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/words"
)

// checkDuplicates counts visible copies beyond the first, by cause.
func checkDuplicates(e *Facts, n *harness.Numbers) []Finding {
	n.Duplicates = e.Out.Copies - e.Out.Visible.Len()
	n.DuplicatedInputs = e.Out.Repeated.Len()
	if n.Duplicates == 0 {
		return nil
	}
	n.DuplicatesBy = e.Duplicates.By
	var sum uint64
	for _, c := range n.DuplicatesBy {
		sum += c
	}
	if sum != n.Duplicates {
		return Internal("the causes of duplicates add up to %d, duplicates are %d", sum, n.Duplicates)
	}
	x := e.Duplicates.Anomalies[0]
	found := with(Breaks(noDuplicates, "%s extra copies of %s inputs are visible (%s), e.g. %s at %s",
		words.Number(n.Duplicates), words.Number(n.DuplicatedInputs), words.Counts(n.DuplicatesBy), e.RecordName(rows.RecordKey(x.Record, e.Row)), causes.Places(e.Row, x.Copies)), e.Duplicates.Anomalies)
	for i, x := range e.Duplicates.Rereads {
		if i == causes.MaxExamples {
			return append(found, note("and %d more restarts, rebalances, rewinds or redeliveries that doubled records", len(e.Duplicates.Rereads)-i)...)
		}
		found = append(found, note("%s", x.Text)...)
	}
	return found
}
