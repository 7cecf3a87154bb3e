package checks

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/words"
)

var unprocessed = kit.Check{
	Name:    "unprocessed",
	About:   "counts inputs that no committed offset has passed and that have no output",
	Control: "input left over",
	Numbers: []harness.Number{
		{
			Key: "unprocessed", Header: "UNPROCESSED", Show: harness.WhenNonZero,
			Means:  "Inputs without an output that were not passed.",
			Unseen: "whether a worker would have processed them later.",
		},
	},
	Begin: func(s *rows.Subject) kit.Counting {
		if s.SourceUnderTest() {
			return nil
		}
		return kit.AtEnd(finishUnprocessed)
	},
}

func finishUnprocessed(f *kit.Facts, n *harness.Numbers) []kit.Finding {
	left := f.Unprocessed.Len()
	n.Set("unprocessed", left)
	var found []kit.Finding
	if !f.HaveFinal {
		found = kit.Doubt("the group's committed offsets are not known in every input partition")
	}
	if left == 0 {
		return found
	}
	return append(found, kit.Doubt("%s of %s inputs were not processed, e.g. %s",
		words.Number(left), words.Number(f.InputCount), f.RecordName(f.Unprocessed.First(1)[0]))...)
}
