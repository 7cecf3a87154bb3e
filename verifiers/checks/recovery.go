package verifiers

import (
	"slices"
	"time"

	"github.com/chaeos/chaeos/harness"
)

// checkRecovery measures, from each fault's start and from its heal, how long an affected partition took to bring new
// output again: the worst over faults and partitions. A record that was already under way becomes visible just after
// any fault; so where a partition paused for longer than the stall threshold during the fault, its recovery is the end
// of the longest such pause, and only otherwise the first new output.
func checkRecovery(e *facts, n *harness.Numbers) []finding {
	if !e.run.live.recorded {
		return nil
	}
	var found []finding
	for i, f := range e.run.record.Faults {
		if f.Injected == 0 {
			continue
		}
		for _, p := range affected(e, f) {
			m := &e.meter(p).faults[i]
			if d, ok := m.recovered(); ok {
				n.Recovery = worst(n.Recovery, d)
			} else {
				found = append(found, note("no new output in %s after %s %s", e.place(p), f.Fault, f.Target)...)
			}
			if m.shownHealed != 0 && f.Healed != 0 {
				n.RecoveryFromHeal = worst(n.RecoveryFromHeal, m.shownHealed.Sub(f.Healed))
			}
		}
	}
	return found
}

func worst(d *time.Duration, x time.Duration) *time.Duration {
	if d == nil || x > *d {
		return &x
	}
	return d
}

// affected are the output partitions that a fault affects: all, where it named none.
func affected(e *facts, f harness.FaultRecord) []int32 {
	var all []int32
	for p := range int32(e.outputPartitions()) {
		if named := f.Resolved.Partitions; len(named) == 0 || slices.Contains(named, e.inputOf(p)) {
			all = append(all, p)
		}
	}
	return all
}

