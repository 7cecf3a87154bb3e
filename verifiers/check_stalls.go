package verifiers

import (
	"cmp"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// checkStalls counts the standstills of the output partitions' last stable offsets. Where samples are missing, no stall
// is "not observed", never 0.
func checkStalls(e *evidence, n *harness.Numbers) []finding {
	stalls := stallsOf(e.run, e.layout)
	count, total, longest := uint64(len(stalls)), time.Duration(0), time.Duration(0)
	for _, s := range stalls {
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

// stallsOf lists a pipeline's stalls by partition and time.
func stallsOf(r *run, layout harness.PipelineLayout) []harness.Stall {
	var all []harness.Stall
	threshold := cmp.Or(r.record.Bounds.StallThreshold, harness.DefaultBounds().StallThreshold)
	for p := range r.record.Plan.Partitions {
		at := tp{layout.Output, int32(p)}
		standing := r.live.standing[at]
		if standing == nil {
			continue
		}
		for _, s := range standing.longer(threshold, r.record.LoadStart) {
			x := harness.Stall{
				Pipeline: layout.Name, Topic: at.topic, Partition: at.partition, LSO: s.lso, Start: int64(s.start),
				Length: s.length(), Open: s.open, HeldBack: s.held, Fault: r.faultAt(s.start),
			}
			if c := r.live.culprit(at, s.lso); c != nil {
				x.TransactionalID, x.ProducerID, x.State = c.TransactionalID, c.ProducerID, c.State
			}
			all = append(all, x)
		}
	}
	return all
}

// faultAt names the fault that was active at a moment.
func (r *run) faultAt(at history.Time) string {
	for _, f := range r.record.Faults {
		if f.Injected != 0 && f.Injected <= at && (f.Healed == 0 || at <= f.Healed) {
			return f.Fault + " " + f.Target
		}
	}
	return ""
}
