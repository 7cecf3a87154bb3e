package checks

import (
	"fmt"
	"maps"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/words"
)

var offsetsWentBack = kit.Check{
	Name:    "offsets-went-back",
	About:   "counts input partitions whose final committed offset is lower than, or missing after, a confirmed commit",
	Control: "committed offsets that went back",
	Numbers: []harness.Number{
		{
			Key: "offsetsWentBack", Header: "OFFSETS WENT BACK", Show: harness.WhenNonZero,
			Means: "Input partitions whose final committed offset is lower than a confirmed commit, or missing after one. It breaks\n" +
				"at-most-once and exactly-once if nothing recorded explains it: no commit of just the final offset may have come after the\n" +
				"confirmed one, no fault deleted the group's offset, cut `__consumer_offsets` off or gave it an unclean leader. A group that commits a lower\n" +
				"offset later went back by itself. An offset that is missing without such a fault is a doubt.",
			Unseen: "committed offsets that went back during the run and came forward again: what they led to shows as duplicates.",
		},
	},
	Begin: kit.Always(finishOffsetsWentBack),
}

// wentBack are the input partitions whose committed offsets went back, by what that proves.
type wentBack struct {
	all, lost, gone []string
	// untold are those that a missing part of a history may explain.
	untold []string
}

// finishOffsetsWentBack tells commits that the brokers lost from those that the group itself went back over.
func finishOffsetsWentBack(f *kit.Facts, n *harness.Numbers) []kit.Finding {
	var back wentBack
	for _, p := range slices.Sorted(maps.Keys(f.Confirmed)) {
		final, known := f.Final[p]
		if !known || final >= f.Confirmed[p] {
			continue // one that is not known is in doubt, and proves nothing
		}
		if err := back.add(f, p, final); err != nil {
			return []kit.Finding{kit.NotRun("offsets-went-back", "%v", err)}
		}
	}
	n.Set("offsetsWentBack", len(back.all))
	return back.found()
}

func (b *wentBack) add(f *kit.Facts, partition int32, final int64) error {
	text := fmt.Sprintf("%d was confirmed in input partition %d, %d is committed now", f.Confirmed[partition], partition, final)
	b.all = append(b.all, text)
	switch excused := offsetsTaken(f, partition); {
	case excused:
		return nil
	case final < 0:
		b.gone = append(b.gone, text)
		return nil
	}
	c := &lastCommits{partition: partition, final: final}
	for _, w := range f.Workers {
		if err := c.of(f, w); err != nil {
			return err
		}
		c.untold = c.untold || !w.Whole
	}
	switch {
	case c.explained():
	case c.untold:
		b.untold = append(b.untold, text)
	default:
		b.lost = append(b.lost, text)
	}
	return nil
}

func (b *wentBack) found() (found []kit.Finding) {
	if len(b.lost) > 0 {
		found = append(found, kit.Breaks(kit.NoDuplicates, "the brokers lost confirmed offset commits in %s input partitions, and no later commit explains it: %s",
			words.Number(uint64(len(b.lost))), b.lost[0])...)
	}
	if len(b.gone) > 0 {
		found = append(found, kit.Doubt("no committed offset is left in %s input partitions, and no fault deleted it: %s", words.Number(uint64(len(b.gone))), b.gone[0])...)
	}
	if len(b.untold) > 0 {
		found = append(found, kit.Doubt("committed offsets went back in %s input partitions, and whether the group did that itself is in a missing part of a history: %s",
			words.Number(uint64(len(b.untold))), b.untold[0])...)
	}
	if len(b.all) > len(b.lost)+len(b.gone)+len(b.untold) {
		found = append(found, kit.Note("committed offsets went back in %d input partitions: %s", len(b.all), b.all[0])...)
	}
	return found
}

// consumerOffsets is the topic in which brokers keep committed offsets.
const consumerOffsets = "__consumer_offsets"

// offsetsTaken reports whether a recorded fault took committed offsets of a partition away.
func offsetsTaken(f *kit.Facts, partition int32) bool {
	return slices.ContainsFunc(f.Run.Record.Faults, func(fault harness.FaultRecord) bool {
		return slices.ContainsFunc(fault.Lasting, func(l harness.Lasting) bool {
			switch l.What {
			case harness.OffsetDeleted:
				return l.Group == f.Layout.Group && l.Partition == partition
			case harness.LogWasCut, harness.UncleanLeader:
				return l.Topic == consumerOffsets
			}
			return false
		})
	})
}
