package checks

import (
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
)

var noProgress = kit.Check{
	Name:    "no-progress",
	About:   "finds the longest time that an output partition with input waiting showed nothing new",
	Control: "an output that pauses",
	Numbers: []harness.Number{
		{
			Key: "noProgress", Header: "NO PROGRESS", Kind: harness.Duration, Absent: harness.Null, Worst: true, Measure: true,
			Means: "The longest time, from the load's start on, in which an output partition with input waiting delivered nothing new to the\n" +
				"live reader. A pause that no output ended counts up to the last input.",
			Unseen: "delays of the live reader itself.",
		},
		{
			Key: "noProgressIn", Header: "NO PROGRESS IN", Kind: harness.PartitionID, Show: harness.DataOnly, Of: "noProgress", Measure: true,
			Means:  "The partition of that pause.",
			Unseen: "other partitions with a pause as long.",
		},
	},
	Begin: kit.Always(finishNoProgress),
}

func finishNoProgress(f *kit.Facts, n *harness.Numbers) []kit.Finding {
	if !f.Run.Live.Recorded {
		return nil
	}
	longest, in := time.Duration(-1), int32(0)
	for p := range int32(f.OutputPartitions()) {
		m := f.Meter(p)
		if longest < 0 && m.Offered > 0 {
			longest, in = 0, p
		}
		if x := m.Longest; x != nil && x.Length() > longest {
			longest, in = x.Length(), p
		}
	}
	if longest >= 0 {
		n.Set("noProgress", longest)
		n.Set("noProgressIn", f.At(in).Partition)
	}
	return nil
}
