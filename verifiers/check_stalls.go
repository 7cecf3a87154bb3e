package verifiers

import (
	"time"

	"github.com/chaeos/chaeos/harness"
)

// checkStalls counts the standstills of the output partitions' last stable offsets. Where samples are missing, no stall
// is "not observed", never 0.
func checkStalls(e *evidence, n *harness.Numbers) []finding {
	count, total, longest := uint64(len(e.stalls)), time.Duration(0), time.Duration(0)
	for _, s := range e.stalls {
		total += s.Length
		longest = max(longest, s.Length)
	}
	gaps, unsampled := e.gaps()
	if count == 0 && (gaps > 0 || unsampled > 0) {
		return note("last stable offsets were not observed throughout: %d gaps in the samples, %d partitions without any", gaps, unsampled)
	}
	n.LSOStalls, n.LongestStall, n.TotalStall = &count, &longest, &total
	if gaps > 0 || unsampled > 0 {
		return note("stalls are a lower bound: %d gaps in the samples, %d partitions without any", gaps, unsampled)
	}
	return nil
}

// gaps counts the times without samples since the load began, and the partitions without any sample.
func (e *evidence) gaps() (gaps, unsampled int) {
	for p := range e.run.record.Plan.Partitions {
		s := e.run.live.standing[tp{e.layout.Output, int32(p)}]
		if s == nil || !s.sampled {
			unsampled++
			continue
		}
		for _, g := range s.gaps {
			if g.to >= e.run.record.LoadStart {
				gaps++
			}
		}
	}
	return gaps, unsampled
}
