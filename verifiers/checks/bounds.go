package checks

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/words"
)

var bounds = kit.Check{
	Name:    "bounds",
	About:   "doubts a row that saw too little: visible before the first fault, offered while one was active, visible after the last heal",
	Control: "too little before and after",
	Begin:   kit.Always(finishBounds),
}

// finishBounds finds nothing in a run without faults, which has none of the three.
func finishBounds(f *kit.Facts, _ *harness.Numbers) []kit.Finding {
	if f.Meter(0).Healed == 0 {
		return nil
	}
	least := f.Run.Record.Bounds
	var before, after, offered uint64
	for p := range int32(f.OutputPartitions()) {
		m := f.Meter(p)
		before, after, offered = before+m.Before, after+m.After, offered+m.During
	}
	var found []kit.Finding
	tooFew := func(n, bound uint64, what string) {
		if n < bound {
			found = append(found, kit.Doubt("%s records %s, %s are needed", words.Number(n), what, words.Number(bound))...)
		}
	}
	tooFew(before, least.MinBefore, "became visible before the first fault")
	tooFew(offered, least.MinOffered, "were offered while faults were active")
	tooFew(after, least.MinAfter, "became visible after the last heal")
	return found
}
