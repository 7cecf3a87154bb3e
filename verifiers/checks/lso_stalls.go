package checks

import (
	"cmp"
	"fmt"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/rows"
)

var lsoStalls = kit.Check{
	Name:    "lso-stalls",
	About:   "counts the standstills of the output partitions' last stable offsets",
	Control: "a last stable offset that stands still",
	Numbers: []harness.Number{
		{
			Key: "lsoStalls", Header: "LSO STALLS", Absent: harness.Null,
			Means: "How often the last stable offset of an output partition stayed the same, below the high watermark, for longer than the\n" +
				"stall threshold (1 s unless the experiment sets it), by samples every 100 ms from the leader of the newest epoch. What\n" +
				"ended a stall is:\n\n" +
				"- *commit*: a commit marker;\n" +
				"- *abort by client*: the worker asked for the abort, or its session turned its commit into one;\n" +
				"- *new producer epoch*: a producer id was asked for with the same transactional id in the 5 s before the abort marker;\n" +
				"- *abort by timeout*: it was not, and the transaction had reached its timeout;\n" +
				"- *abort by the fault transaction-abort*: the run itself wrote the abort marker, past the coordinator;\n" +
				"- *abort that no history explains*: neither.\n\n" +
				"With transaction.version 2 every end of a transaction raises the producer epoch by one, so the marker's epoch does not\n" +
				"tell these apart. Below it, only fencing and timeouts raise the epoch.\n\n" +
				"`stalls` in JSON has each stall with start, end, partition, the records and bytes between the last stable offset and the\n" +
				"highest watermark, the transaction at its start (by the log's batch header and its worker's ordinal), the coordinator's\n" +
				"first and last answer about its state with their times, the active faults, the control record, and what ended it.\n" +
				"Brokers are asked only about an offset that has not moved for a second. So the state at the onset (`onsetState`) is\n" +
				"given only if the first answer proves it: a transaction that was still `Ongoing`, and that its coordinator had begun\n" +
				"before the onset, was `Ongoing` at the onset. `–` where the row writes no transactions.",
			Unseen: "stalls shorter than the threshold. If samples are missing for more than 300 ms the count is a lower bound, and if it would be 0 it is not observed.",
		},
		{
			Key: "longestStall", Header: "LONGEST", Kind: harness.Duration, Absent: harness.Null, Worst: true,
			Means:  "From its first sample to the first that shows an advance; good to one interval of 100 ms on either side.",
			Unseen: "see LSO stalls.",
		},
		{
			Key: "totalStall", Header: "TOTAL STALL", Kind: harness.Duration, Show: harness.DataOnly, Absent: harness.Null,
			Means:  "The sum over all stalls and partitions.",
			Unseen: "see LSO stalls.",
		},
	},
	Begin: func(s *rows.Subject) kit.Counting {
		if !s.HasLSO() {
			return nil
		}
		return kit.AtEnd(finishStalls)
	},
}

// finishStalls: where samples are missing, no stall is "not observed", never 0. Where no transactions are written, last stable
// offsets are high watermarks, and nothing can hold them back.
func finishStalls(f *kit.Facts, n *harness.Numbers) []kit.Finding {
	if !f.Layout.Transactional && len(f.Stalls) == 0 {
		return nil
	}
	var total, longest time.Duration
	for _, s := range f.Stalls {
		total += s.Length
		longest = max(longest, s.Length)
	}
	g := gaps(f)
	found := g.doubt(f)
	if len(f.Stalls) == 0 && g.any() {
		return append(found, kit.Note("last stable offsets were not observed throughout: %s", g)...)
	}
	n.Set("lsoStalls", len(f.Stalls))
	n.Set("longestStall", longest)
	n.Set("totalStall", total)
	if g.any() {
		return append(found, kit.Note("stalls are a lower bound: %s", g)...)
	}
	return found
}

// sampling is what is missing of the samples since the load began.
type sampling struct {
	gaps, unsampled int
	// widest is the longest gap, in seconds, and where it was.
	widest time.Duration
	where  ask.TopicPartition
}

func (g sampling) any() bool { return g.gaps > 0 || g.unsampled > 0 }

func (g sampling) String() string {
	return fmt.Sprintf("%d gaps in the samples, %d partitions without any", g.gaps, g.unsampled)
}

// doubt: a transactional row that was not sampled for as long as a stall must last may have stood still unseen. A shorter
// gap can't hide one: a last stable offset never goes down, so one that is the same on both sides stood still throughout.
func (g sampling) doubt(f *kit.Facts) []kit.Finding {
	threshold := cmp.Or(f.Run.Record.Bounds.StallThreshold, harness.DefaultBounds().StallThreshold)
	switch {
	case !f.Layout.Transactional || !f.Run.Live.Recorded:
		return nil
	case g.widest >= threshold:
		return kit.Doubt("the last stable offset of %s/%d was not sampled for %.1fs: a stall may have gone unseen", g.where.Topic, g.where.Partition, g.widest.Seconds())
	case g.unsampled > 0:
		return kit.Doubt("the last stable offsets of %d partitions were never sampled", g.unsampled)
	}
	return nil
}

// gaps finds what is missing.
func gaps(f *kit.Facts) (g sampling) {
	for p := range f.OutputPartitions() {
		at := f.At(int32(p))
		s := f.Run.Live.Standstills[at]
		if s == nil || !s.Sampled {
			g.unsampled++
			continue
		}
		for _, x := range s.Missing(f.Run.Live.Until) {
			if x.To < f.Run.Record.LoadStart {
				continue
			}
			g.gaps++
			if d := x.To.Sub(max(x.From, f.Run.Record.LoadStart)); d > g.widest {
				g.widest, g.where = d, at
			}
		}
	}
	return g
}
