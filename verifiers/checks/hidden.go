package checks

import (
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/words"
)

var hidden = kit.Check{
	Name:    "hidden",
	About:   "counts inputs whose only copies are behind an open transaction or may be in a part of the log that was not read",
	Control: "an open transaction at the end",
	Numbers: []harness.Number{
		{
			Key: "hidden", Header: "HIDDEN", Show: harness.WhenNonZero,
			Means: "Inputs whose only outputs are at or above the last stable offset, behind an open transaction, or whose output partition\n" +
				"was not read to its end.",
			Unseen: "how the transaction will end.",
		},
	},
	Begin: kit.Always(finishHidden),
}

func finishHidden(f *kit.Facts, n *harness.Numbers) []kit.Finding {
	n.Set("hidden", f.Hidden.Len())
	var found []kit.Finding
	if f.Unread > 0 {
		found = kit.Doubt("whether %s inputs have an output is not known: their output partitions were not read to their ends", words.Number(f.Unread))
	}
	if behind := f.Hidden.Len() - f.Unread; behind > 0 {
		found = append(found, kit.Doubt("%s inputs are hidden behind an open transaction: %s", words.Number(behind), blockers(f))...)
	}
	return found
}

// blockers names the transactions that hide inputs.
func blockers(f *kit.Facts) string {
	if len(f.Open) == 0 {
		return "none is listed"
	}
	var all []string
	for i := range f.Open {
		all = append(all, describeHanging(&f.Open[i]))
	}
	return strings.Join(all, "; ")
}
