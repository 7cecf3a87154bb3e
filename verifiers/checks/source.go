package verifiers

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/keyset"
)

// checkSource counts the shared source's own faults in the input topic. They are charged to no pipeline: each had to
// deliver what was there.
func checkSource(e *facts, n *harness.Numbers) []finding {
	if e.layout.ProducerOnly {
		if e.source.storedTwice > 0 {
			return note("%s offsets were acknowledged for two records: at most one of each pair is in the log", number(e.source.storedTwice))
		}
		return nil
	}
	held := e.in.held[e.layout.Source]
	if held == nil {
		held = keyset.New()
	}
	n.AckedAbsent = e.inputLost.missing.Len()
	n.IdentityTwice = e.in.twice
	var found []finding
	if n.AckedAbsent > 0 {
		n.AckedAbsentBy = e.inputLost.by
		example := fmt.Sprintf("sequence %d", e.inputLost.missing.First(1)[0].Sequence(e.run.record.Plan.Partitions))
		if len(e.inputLost.first) > 0 {
			example = e.inputLost.first[0].Text
		}
		found = with(append(found, note("the source's fault: %s acknowledged records are not in the input log (%s), e.g. %s",
			number(n.AckedAbsent), counts(n.AckedAbsentBy), example)...), e.inputLost.first)
	}
	if n.IdentityTwice > 0 {
		found = append(found, note("the source's fault: %s further copies of records in the input log", number(n.IdentityTwice))...)
	}
	if unsent := held.Minus(e.source.intended); unsent.Len() > 0 {
		found = append(found, doubt("%s input records carry sequences that the source never sent, e.g. %d",
			number(unsent.Len()), unsent.First(1)[0].Sequence(e.run.record.Plan.Partitions))...)
	}
	if open := e.source.unsettled(); open.Len() > 0 {
		found = append(found, note("the source never learnt the outcome of %s records; %s of them are in the input log", number(open.Len()), number(open.And(held).Len()))...)
	}
	if failed := e.source.failed.And(held); failed.Len() > 0 {
		found = append(found, note("the source's fault: %s records reported as failed are in the input log", number(failed.Len()))...)
	}
	return found
}
