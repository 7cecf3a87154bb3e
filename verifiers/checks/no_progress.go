package checks

import (
	"time"

	"github.com/chaeos/chaeos/harness"
)

// checkNoProgress finds the longest time that an output partition with input waiting brought nothing new.
func checkNoProgress(e *Facts, n *harness.Numbers) []Finding {
	if !e.Run.Live.Recorded {
		return nil
	}
	for p := range e.OutputPartitions() {
		m := e.Meter(int32(p))
		if n.NoProgress == nil && m.Offered > 0 {
			n.NoProgress, n.NoProgressIn = new(time.Duration(0)), e.At(int32(p)).Partition
		}
		if x := m.Longest; x != nil && (n.NoProgress == nil || x.Length() > *n.NoProgress) {
			n.NoProgress, n.NoProgressIn = new(x.Length()), e.At(int32(p)).Partition
		}
	}
	return nil
}
