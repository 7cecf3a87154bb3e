package verifiers

import (
	"math"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// checkBounds doubts a row that saw too little: visible before the first fault, offered while one was active, visible
// after the last heal. A run without faults has none of the three.
func checkBounds(e *evidence, _ *harness.Numbers) []finding {
	first, last := history.Time(math.MaxInt64), history.Time(0)
	var offered uint64
	for _, f := range e.run.record.Faults {
		if f.Injected == 0 {
			continue
		}
		first, last = min(first, f.Injected), max(last, f.Healed)
	}
	if last == 0 {
		return nil
	}
	bounds := e.run.record.Bounds
	var before, after uint64
	for p := range e.run.record.Plan.Partitions {
		shown := e.progress(int32(p))
		before += shown.between(math.MinInt64, first)
		after += shown.between(last, math.MaxInt64)
		offered += e.offeredDuring(int32(p))
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

// offeredDuring counts what was offered while at least one fault was active.
func (e *evidence) offeredDuring(partition int32) (n uint64) {
	for _, p := range e.supply(partition).all() {
		for _, f := range e.run.record.Faults {
			if f.Injected != 0 && p.at >= f.Injected && p.at < f.Healed {
				n += p.n
				break
			}
		}
	}
	return n
}
