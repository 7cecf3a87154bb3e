package saved

import "encoding/binary"

// unknownCommits counts commits whose outcome was never learnt, and those of them that name just the final committed offset of some
// partition: if that is past all that was confirmed, they must have happened. Commits that name it in the same partitions are
// one count.
type unknownCommits struct {
	N  uint64
	by map[string]*unknownPast
}

type unknownPast struct {
	n          uint64
	partitions []int32
}

func (u *unknownCommits) add(c Commit, finals map[int32]int64) {
	u.N++
	var key []byte
	var moved []int32
	for _, o := range c.Offsets {
		if final, ok := finals[o.Partition]; ok && o.Offset == final {
			key = binary.LittleEndian.AppendUint32(key, uint32(o.Partition))
			moved = append(moved, o.Partition)
		}
	}
	if moved == nil {
		return
	}
	past := u.by[string(key)]
	if past == nil {
		past = &unknownPast{partitions: moved}
		u.by[string(key)] = past
	}
	past.n++
}

// Happened counts those that must have happened: the group's final offset is where they would have moved it, and past all confirmed commits.
func (u *unknownCommits) Happened(finals, highest map[int32]int64) (n uint64) {
	for _, past := range u.by {
		for _, p := range past.partitions {
			if finals[p] > highest[p] {
				n += past.n
				break
			}
		}
	}
	return n
}
