package checks

import (
	"fmt"
	"maps"
	"slices"

	"github.com/chaeos/chaeos/harness"
)

// checkOffsetsWentBack counts input partitions whose final committed offset is lower than, or missing after, a confirmed
// commit. Alone it breaks nothing: what it leads to shows as duplicates.
func checkOffsetsWentBack(e *Facts, n *harness.Numbers) []Finding {
	if !e.HaveFinal {
		return nil
	}
	confirmed := e.ConfirmedCommits()
	first := ""
	for _, p := range slices.Sorted(maps.Keys(confirmed)) {
		final, ok := e.FinalOffsets[p]
		if ok && final >= confirmed[p] {
			continue
		}
		n.OffsetsWentBack++
		if first == "" {
			first = fmt.Sprintf("%d was confirmed in input partition %d, %d is committed now", confirmed[p], p, final)
		}
	}
	if n.OffsetsWentBack == 0 {
		return nil
	}
	return note("committed offsets went back in %d input partitions: %s", n.OffsetsWentBack, first)
}
