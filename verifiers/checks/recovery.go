package checks

import (
	"slices"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
)

var recovery = kit.Check{
	Name:    "recovery",
	About:   "measures, from each fault's start and from its heal, how long an affected partition took to bring new output again",
	Control: "an output that pauses under a fault",
	Numbers: []harness.Number{
		{
			Key: "recovery", Header: "RECOVERY", Kind: harness.Duration, Absent: harness.Null, Worst: true, Measure: true,
			Means: "From a fault's injection to the end of the longest pause over the stall threshold that overlaps it, or to the first new\n" +
				"output if there is no such pause. The worst over faults and affected partitions.",
			Unseen: "faults that touch no partition by name: all partitions count as affected.",
		},
		{
			Key: "recoveryFromHeal", Header: "RECOVERY FROM HEAL", Kind: harness.Duration, Show: harness.DataOnly, Absent: harness.Null, Measure: true,
			Means:  "From a fault's heal to the first new output in an affected partition. The worst over faults and affected partitions.",
			Unseen: "a recovery that began before the heal.",
		},
	},
	Begin: kit.Always(finishRecovery),
}

// finishRecovery takes the worst over faults and partitions. A record that was already under way becomes visible just after
// any fault; so where a partition paused for longer than the stall threshold during the fault, its recovery is the end of the
// longest such pause, and only otherwise the first new output.
func finishRecovery(f *kit.Facts, n *harness.Numbers) []kit.Finding {
	if !f.Run.Live.Recorded {
		return nil
	}
	var found []kit.Finding
	for i, fault := range f.Run.Record.Faults {
		if fault.Injected == 0 {
			continue
		}
		for _, p := range affected(f, fault) {
			m := &f.Meter(p).Faults[i]
			if d, ok := m.Recovered(); ok {
				worst(n, "recovery", d)
			} else {
				found = append(found, kit.Note("no new output in %s after %s %s", f.PartitionName(p), fault.Fault, fault.Target)...)
			}
			if m.ShownHealed != 0 && fault.Healed != 0 {
				worst(n, "recoveryFromHeal", m.ShownHealed.Sub(fault.Healed))
			}
		}
	}
	return found
}

func worst(n *harness.Numbers, key string, d time.Duration) {
	if n.Value(key) == nil || d > n.Duration(key) {
		n.Set(key, d)
	}
}

// affected are the output partitions that a fault affects: all, where it named none.
func affected(f *kit.Facts, fault harness.FaultRecord) []int32 {
	var all []int32
	for p := range int32(f.OutputPartitions()) {
		if named := fault.Resolved.Partitions; len(named) == 0 || slices.Contains(named, f.InputOf(p)) {
			all = append(all, p)
		}
	}
	return all
}
