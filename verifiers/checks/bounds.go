package checks

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/words"
)

// checkBounds doubts a row that saw too little: visible before the first fault, offered while one was active, visible
// after the last heal. A run without faults has none of the three.
func checkBounds(e *Facts, _ *harness.Numbers) []Finding {
	if e.Meter(0).Healed == 0 {
		return nil
	}
	bounds := e.Run.Record.Bounds
	var before, after, offered uint64
	for p := range e.OutputPartitions() {
		m := e.Meter(int32(p))
		before, after, offered = before+m.Before, after+m.After, offered+m.During
	}
	var found []Finding
	tooFew := func(n, bound uint64, what string) {
		if n < bound {
			found = append(found, doubt("%s records %s, %s are needed", words.Number(n), what, words.Number(bound))...)
		}
	}
	tooFew(before, bounds.MinBefore, "became visible before the first fault")
	tooFew(offered, bounds.MinOffered, "were offered while faults were active")
	tooFew(after, bounds.MinAfter, "became visible after the last heal")
	return found
}
