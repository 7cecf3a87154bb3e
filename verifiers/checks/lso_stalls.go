package checks

import (
	"cmp"
	"fmt"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/saved"
)

// checkStalls counts the standstills of the output partitions' last stable offsets. Where samples are missing, no stall
// is "not observed", never 0.
func checkStalls(e *Facts, n *harness.Numbers) []Finding {
	if e.Layout.Effects {
		return nil // a service has no last stable offset
	}
	count, total, longest := uint64(len(e.Stalls)), time.Duration(0), time.Duration(0)
	for _, s := range e.Stalls {
		total += s.Length
		longest = max(longest, s.Length)
	}
	g := gaps(e)
	found := g.doubt(e)
	if count == 0 && g.any() {
		return append(found, note("last stable offsets were not observed throughout: %s", g)...)
	}
	n.LSOStalls, n.LongestStall, n.TotalStall = &count, &longest, &total
	if g.any() {
		return append(found, note("stalls are a lower bound: %s", g)...)
	}
	return found
}

// sampling is what is missing of the samples since the load began.
type sampling struct {
	gaps, unsampled int
	// widest is the longest gap, in seconds, and where it was.
	widest time.Duration
	where  saved.TopicPartition
}

func (g sampling) any() bool { return g.gaps > 0 || g.unsampled > 0 }

func (g sampling) String() string {
	return fmt.Sprintf("%d gaps in the samples, %d partitions without any", g.gaps, g.unsampled)
}

// doubt: a transactional row that was not sampled for as long as a stall must last may have stood still unseen. A shorter
// gap can't hide one: a last stable offset never goes down, so one that is the same on both sides stood still throughout.
// The other rows' last stable offsets are their watermarks, and stand for nothing.
func (g sampling) doubt(e *Facts) []Finding {
	threshold := cmp.Or(e.Run.Record.Bounds.StallThreshold, harness.DefaultBounds().StallThreshold)
	switch {
	case !e.Layout.Transactional || !e.Run.Live.Recorded:
		return nil
	case g.widest >= threshold:
		return doubt("the last stable offset of %s/%d was not sampled for %.1fs: a stall may have gone unseen", g.where.Topic, g.where.Partition, g.widest.Seconds())
	case g.unsampled > 0:
		return doubt("the last stable offsets of %d partitions were never sampled", g.unsampled)
	}
	return nil
}

// gaps finds what is missing.
func gaps(e *Facts) (g sampling) {
	for p := range e.OutputPartitions() {
		at := e.At(int32(p))
		s := e.Run.Live.Standstills[at]
		if s == nil || !s.Sampled {
			g.unsampled++
			continue
		}
		for _, x := range s.Missing(e.Run.Live.Until) {
			if x.To < e.Run.Record.LoadStart {
				continue
			}
			g.gaps++
			if d := x.To.Sub(max(x.From, e.Run.Record.LoadStart)); d > g.widest {
				g.widest, g.where = d, at
			}
		}
	}
	return g
}
