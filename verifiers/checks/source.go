package checks

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/words"
)

var source = kit.Check{
	Name:    "source",
	About:   "counts the shared source's own faults in the input topic, which are charged to no pipeline",
	Control: "an input acknowledged and absent",
	Numbers: []harness.Number{
		{
			Key: "ackedAbsent", Header: "ACKED ABSENT", Show: harness.WhenNonZero,
			Means: "Records that were acknowledged to the shared source and are not in the input log, by the causes of losses. No pipeline\n" +
				"is charged with them: each had to deliver what was there.",
			Unseen: "records that a pipeline had processed before they went: their outputs name an input that is not there, and a note counts them.",
		},
		{
			Key: "identityTwice", Header: "TWICE IN INPUT", Show: harness.WhenNonZero,
			Means:  "Further copies of a record in the input log. No pipeline is charged with them.",
			Unseen: "why: the source's producer is not under test here.",
		},
		{Key: "ackedAbsentBy", Kind: harness.ByCause, Of: "ackedAbsent"},
	},
	Begin: func(s *rows.Subject) kit.Counting {
		if s.SourceUnderTest() {
			return kit.AtEnd(finishSourceUnderTest)
		}
		return kit.AtEnd(finishSharedSource)
	},
}

func finishSourceUnderTest(f *kit.Facts, _ *harness.Numbers) []kit.Finding {
	if f.Source.StoredTwice > 0 {
		return kit.Note("%s offsets were acknowledged for two records: at most one of each pair is in the log", words.Number(f.Source.StoredTwice))
	}
	return nil
}

func finishSharedSource(f *kit.Facts, n *harness.Numbers) []kit.Finding {
	held := f.In.Held[f.Layout.Source]
	if held == nil {
		held = keyset.New()
	}
	n.Set("ackedAbsent", f.InputLost.Missing.Len())
	n.Set("ackedAbsentBy", f.InputLost.By)
	n.Set("identityTwice", f.In.Twice)
	found := ackedAbsent(f)
	if f.In.Twice > 0 {
		found = append(found, kit.Note("the source's fault: %s further copies of records in the input log", words.Number(f.In.Twice))...)
	}
	if unsent := held.Minus(f.Source.Intended); unsent.Len() > 0 {
		found = append(found, kit.Doubt("%s input records carry sequences that the source never sent, e.g. %d", words.Number(unsent.Len()), sequence(f, unsent))...)
	}
	if open := f.Source.Unresolved(); open.Len() > 0 {
		found = append(found, kit.Note("the source never learnt the outcome of %s records; %s of them are in the input log",
			words.Number(open.Len()), words.Number(open.And(held).Len()))...)
	}
	if failed := f.Source.Failed.And(held); failed.Len() > 0 {
		found = append(found, kit.Note("the source's fault: %s records reported as failed are in the input log", words.Number(failed.Len()))...)
	}
	return found
}

// ackedAbsent lists acknowledged records that are not in the input log.
func ackedAbsent(f *kit.Facts) []kit.Finding {
	lost := f.InputLost
	if lost.Missing.Len() == 0 {
		return nil
	}
	example := fmt.Sprintf("sequence %d", sequence(f, lost.Missing))
	if len(lost.First) > 0 {
		example = lost.First[0].Text
	}
	return kit.With(kit.Note("the source's fault: %s acknowledged records are not in the input log (%s), e.g. %s",
		words.Number(lost.Missing.Len()), words.Counts(lost.By), example), lost.First)
}

// sequence is that of a set's first record.
func sequence(f *kit.Facts, of *keyset.Set) uint64 {
	return of.First(1)[0].Sequence(f.Run.Record.Plan.Partitions)
}
