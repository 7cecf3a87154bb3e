package verifiers

import "encoding/binary"

// unknownCommits counts commits whose outcome nobody learnt, and those of them that reach as far as the final position of
// some partition: if that is past all that was confirmed, they must have happened. Commits that reach as far in the same
// partitions are one count.
type unknownCommits struct {
	n  uint64
	by map[string]*unknownPast
}

type unknownPast struct {
	n          uint64
	partitions []int32
}

func (u *unknownCommits) add(c commit, finals map[int32]int64) {
	u.n++
	var key []byte
	var reached []int32
	for _, o := range c.offsets {
		if final, ok := finals[o.Partition]; ok && o.Offset >= final {
			key = binary.LittleEndian.AppendUint32(key, uint32(o.Partition))
			reached = append(reached, o.Partition)
		}
	}
	if reached == nil {
		return
	}
	past := u.by[string(key)]
	if past == nil {
		past = &unknownPast{partitions: reached}
		u.by[string(key)] = past
	}
	past.n++
}

// happened counts those that must have: the group stands, in a partition that they reach, past all confirmed commits.
func (u *unknownCommits) happened(finals, highest map[int32]int64) (n uint64) {
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
