package checks

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/words"
)

// checkSource counts the shared source's own faults in the input topic. They are charged to no pipeline: each had to
// deliver what was there.
func checkSource(e *Facts, n *harness.Numbers) []Finding {
	if e.Layout.ProducerOnly {
		if e.Source.StoredTwice > 0 {
			return note("%s offsets were acknowledged for two records: at most one of each pair is in the log", words.Number(e.Source.StoredTwice))
		}
		return nil
	}
	held := e.In.Held[e.Layout.Source]
	if held == nil {
		held = keyset.New()
	}
	n.AckedAbsent = e.InputLost.Missing.Len()
	n.IdentityTwice = e.In.Twice
	var found []Finding
	if n.AckedAbsent > 0 {
		n.AckedAbsentBy = e.InputLost.By
		example := fmt.Sprintf("sequence %d", e.InputLost.Missing.First(1)[0].Sequence(e.Run.Record.Plan.Partitions))
		if len(e.InputLost.First) > 0 {
			example = e.InputLost.First[0].Text
		}
		found = with(append(found, note("the source's fault: %s acknowledged records are not in the input log (%s), e.g. %s",
			words.Number(n.AckedAbsent), words.Counts(n.AckedAbsentBy), example)...), e.InputLost.First)
	}
	if n.IdentityTwice > 0 {
		found = append(found, note("the source's fault: %s further copies of records in the input log", words.Number(n.IdentityTwice))...)
	}
	if unsent := held.Minus(e.Source.Intended); unsent.Len() > 0 {
		found = append(found, doubt("%s input records carry sequences that the source never sent, e.g. %d",
			words.Number(unsent.Len()), unsent.First(1)[0].Sequence(e.Run.Record.Plan.Partitions))...)
	}
	if open := e.Source.Unsettled(); open.Len() > 0 {
		found = append(found, note("the source never learnt the outcome of %s records; %s of them are in the input log", words.Number(open.Len()), words.Number(open.And(held).Len()))...)
	}
	if failed := e.Source.Failed.And(held); failed.Len() > 0 {
		found = append(found, note("the source's fault: %s records reported as failed are in the input log", words.Number(failed.Len()))...)
	}
	return found
}
