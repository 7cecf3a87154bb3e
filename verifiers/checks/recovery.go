package checks

import (
	"slices"
	"time"

	"github.com/chaeos/chaeos/harness"
)

// checkRecovery measures, from each fault's start and from its heal, how long an affected partition took to bring new
// output again: the worst over faults and partitions. A record that was already under way becomes visible just after
// any fault; so where a partition paused for longer than the stall threshold during the fault, its recovery is the end
// of the longest such pause, and only otherwise the first new output.
func checkRecovery(e *Facts, n *harness.Numbers) []Finding {
	if !e.Run.Live.Recorded {
		return nil
	}
	var found []Finding
	for i, f := range e.Run.Record.Faults {
		if f.Injected == 0 {
			continue
		}
		for _, p := range affected(e, f) {
			m := &e.Meter(p).Faults[i]
			if d, ok := m.Recovered(); ok {
				n.Recovery = worst(n.Recovery, d)
			} else {
				found = append(found, note("no new output in %s after %s %s", e.PartitionName(p), f.Fault, f.Target)...)
			}
			if m.ShownHealed != 0 && f.Healed != 0 {
				n.RecoveryFromHeal = worst(n.RecoveryFromHeal, m.ShownHealed.Sub(f.Healed))
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
func affected(e *Facts, f harness.FaultRecord) []int32 {
	var all []int32
	for p := range int32(e.OutputPartitions()) {
		if named := f.Resolved.Partitions; len(named) == 0 || slices.Contains(named, e.InputOf(p)) {
			all = append(all, p)
		}
	}
	return all
}
