package verifiers

import "github.com/chaeos/chaeos/harness"

// checkBounds doubts a row that saw too little: visible before the first fault, offered while one was active, visible
// after the last heal. A run without faults has none of the three.
func checkBounds(e *facts, _ *harness.Numbers) []finding {
	if e.meter(0).healed == 0 {
		return nil
	}
	bounds := e.run.record.Bounds
	var before, after, offered uint64
	for p := range e.outputPartitions() {
		m := e.meter(int32(p))
		before, after, offered = before+m.before, after+m.after, offered+m.during
	}
	var found []finding
	tooFew := func(n, bound uint64, what string) {
		if n < bound {
			found = append(found, doubt("%s records %s, %s are needed", number(n), what, number(bound))...)
		}
	}
	tooFew(before, bounds.MinBefore, "became visible before the first fault")
	tooFew(offered, bounds.MinOffered, "were offered while faults were active")
	tooFew(after, bounds.MinAfter, "became visible after the last heal")
	return found
}
