package verifiers

import (
	"cmp"
	"time"

	"github.com/chaeos/chaeos/harness"
)

// checkRecovery measures, from each fault's start and from its heal, how long an affected partition took to bring new
// output again: the worst over faults and partitions. A record that was already under way becomes visible just after
// any fault; so where a partition paused for longer than the stall threshold during the fault, its recovery is the end
// of the longest such pause, and only otherwise the first new output.
func checkRecovery(e *evidence, n *harness.Numbers) []finding {
	if !e.run.live.recorded {
		return nil
	}
	var found []finding
	for _, f := range e.run.record.Faults {
		if f.Injected == 0 {
			continue
		}
		for _, p := range e.affected(f) {
			if d, ok := e.recovered(f, p); ok {
				n.Recovery = worst(n.Recovery, d)
			} else {
				found = append(found, note("no new output in %s/%d after %s %s", e.layout.Output, p, f.Fault, f.Target)...)
			}
			if at, ok := e.progress(p).firstSince(f.Healed); ok && f.Healed != 0 {
				n.RecoveryFromHeal = worst(n.RecoveryFromHeal, at.Sub(f.Healed))
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

// affected are the partitions that a fault affects: all, where it named none.
func (e *evidence) affected(f harness.FaultRecord) []int32 {
	if len(f.Resolved.Partitions) > 0 {
		return f.Resolved.Partitions
	}
	var all []int32
	for p := range e.run.record.Plan.Partitions {
		all = append(all, int32(p))
	}
	return all
}

func (e *evidence) recovered(f harness.FaultRecord, partition int32) (time.Duration, bool) {
	threshold := cmp.Or(e.run.record.Bounds.StallThreshold, harness.DefaultBounds().StallThreshold)
	healed := max(f.Healed, f.Injected)
	var outage *pause
	for _, x := range pauses(e.supply(partition).all(), e.progress(partition).all(), e.run.record.LoadStart) {
		during := x.end > f.Injected && x.start <= healed
		if during && x.length() >= threshold && (outage == nil || x.length() > outage.length()) {
			outage = &x
		}
	}
	if outage != nil {
		return outage.end.Sub(f.Injected), !outage.open
	}
	at, ok := e.progress(partition).firstSince(f.Injected)
	return at.Sub(f.Injected), ok
}
