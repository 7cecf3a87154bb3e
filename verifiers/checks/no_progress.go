package verifiers

import (
	"time"

	"github.com/chaeos/chaeos/harness"
)

// checkNoProgress finds the longest time that an output partition with input waiting brought nothing new.
func checkNoProgress(e *facts, n *harness.Numbers) []finding {
	if !e.run.live.recorded {
		return nil
	}
	for p := range e.outputPartitions() {
		m := e.meter(int32(p))
		if n.NoProgress == nil && m.offered > 0 {
			n.NoProgress, n.NoProgressIn = new(time.Duration(0)), e.at(int32(p)).partition
		}
		if x := m.longest; x != nil && (n.NoProgress == nil || x.length() > *n.NoProgress) {
			n.NoProgress, n.NoProgressIn = new(x.length()), e.at(int32(p)).partition
		}
	}
	return nil
}
