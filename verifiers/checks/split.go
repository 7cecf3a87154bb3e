package checks

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/words"
)

var split = kit.Check{
	Name:    "split",
	About:   "counts the inputs of a row with several output topics that are visible in one of them and missing from another: all or none was promised",
	Control: "an output missing from one of two topics",
	Numbers: []harness.Number{
		{
			Key: "split", Header: "SPLIT", Show: harness.WhenNonZero, Absent: harness.Omitted, After: "abortedSeen",
			Means: "Inputs of a pipeline with several output topics that are visible in one topic and missing from another, although that\n" +
				"one's partition was read to its end and nothing of them is hidden there. `–` with one output topic.",
			Unseen: "that one topic showed an output before the other: a transaction's markers reach each partition at a time of its own.",
		},
	},
	Begin: func(s *rows.Subject) kit.Counting {
		if len(s.Layout.Outputs()) < 2 {
			return nil
		}
		return kit.AtEnd(finishSplit)
	},
}

func finishSplit(f *kit.Facts, n *harness.Numbers) []kit.Finding {
	apart := apart(f)
	n.Set("split", apart.Len())
	if apart.Len() == 0 {
		return nil
	}
	return kit.Breaks(kit.OnlyExactly, "%s inputs are visible in one output topic and missing from another, e.g. %s",
		words.Number(apart.Len()), f.InputName(apart.First(1)[0]))
}

// apart are the inputs that a row's readers see in one of its topics and that are missing from another, by input
// partition and offset. What is hidden, or may lie in a part of a log that was not read, is not missing.
func apart(f *kit.Facts) *keyset.Set {
	partitions := int32(f.Run.Record.Plan.Partitions)
	seen, missing := keyset.New(), keyset.New()
	gone := f.Lost.And(f.Input)
	gone.Union(f.Unprocessed)
	for t := range int32(len(f.Layout.Outputs())) {
		here := func(partition int32) bool { return partition/partitions == t }
		seen.Union(f.Out.Visible.Where(here).Shifted(-t * partitions))
		missing.Union(gone.Where(here).Shifted(-t * partitions))
	}
	return seen.And(missing)
}
