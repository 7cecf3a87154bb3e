package rows

import "github.com/chaeos/chaeos/verifiers/saved"

// CommittedOffsets are how far a group's commits reach, by input partition. Of a share group they are its start offsets.
type CommittedOffsets struct {
	// Final are the offsets that the brokers gave after every worker had ended (-1: none committed; a partition that is
	// missing is not known); HaveFinal reports whether they gave all of them.
	Final     map[int32]int64
	HaveFinal bool
	// Confirmed are the highest commits that workers know to have succeeded, Passed the higher of those and Final.
	Confirmed, Passed map[int32]int64
	// Last counts the transactions that would have committed just the final offset: only a single one is proof of whose it
	// is.
	Last map[int32]int
	// allWhole reports whether every worker's history is whole: only then does Last count all of them.
	allWhole bool
}

// OnlyCommitOf reports whether a single transaction would have committed a partition's final offset.
func (o CommittedOffsets) OnlyCommitOf(partition int32) bool {
	return o.allWhole && o.Last[partition] == 1
}

func committedOffsets(s *Subject) CommittedOffsets {
	o := CommittedOffsets{
		Final: s.Run.Finals(s.Layout.Group), Confirmed: confirmed(s.Workers), Passed: map[int32]int64{}, Last: map[int32]int{},
	}
	o.HaveFinal, o.allWhole = true, true
	for p := range int32(s.partitions()) {
		if _, known := o.Final[p]; !known {
			o.HaveFinal = false
		}
	}
	for p, final := range o.Final {
		o.Passed[p] = max(0, final)
	}
	for p, c := range o.Confirmed {
		o.Passed[p] = max(o.Passed[p], c)
	}
	for _, w := range s.Workers {
		o.allWhole = o.allWhole && w.Whole
		for p, n := range w.Last {
			o.Last[p] += n
		}
	}
	return o
}

func confirmed(workers []*saved.Worker) map[int32]int64 {
	highest := map[int32]int64{}
	for _, w := range workers {
		for p, offset := range w.Highest {
			highest[p] = max(highest[p], offset)
		}
	}
	return highest
}
