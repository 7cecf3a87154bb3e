package checks

import (
	"fmt"
	"maps"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
)

var offsetsWentBack = kit.Check{
	Name:    "offsets-went-back",
	About:   "counts input partitions whose final committed offset is lower than, or missing after, a confirmed commit",
	Control: "committed offsets that went back",
	Numbers: []harness.Number{
		{
			Key: "offsetsWentBack", Header: "OFFSETS WENT BACK", Show: harness.WhenNonZero,
			Means:  "Input partitions whose final committed offset is lower than a confirmed commit, or missing after one.",
			Unseen: "committed offsets that went back during the run and came forward again: what they led to shows as duplicates.",
		},
	},
	Begin: kit.Always(finishOffsetsWentBack),
}

// finishOffsetsWentBack finds what alone breaks nothing: what it leads to shows as duplicates.
func finishOffsetsWentBack(f *kit.Facts, n *harness.Numbers) []kit.Finding {
	back, first := 0, ""
	for _, p := range slices.Sorted(maps.Keys(f.Confirmed)) {
		final, ok := f.Final[p]
		if !ok || final >= f.Confirmed[p] {
			continue // one that is not known is in doubt, and proves nothing
		}
		back++
		if first == "" {
			first = fmt.Sprintf("%d was confirmed in input partition %d, %d is committed now", f.Confirmed[p], p, final)
		}
	}
	n.Set("offsetsWentBack", back)
	if back == 0 {
		return nil
	}
	return kit.Note("committed offsets went back in %d input partitions: %s", back, first)
}
