package timeline

// stretch is how many slots are counted in one piece: a long run has a slot of nearly every moment, and a map of single
// slots takes ten times the memory.
const stretch = 256

// counted are counts in slots of a tenth of a bucket, numbered from the load's start (negative before it).
type counted map[int64]*[stretch]uint32

func (c counted) add(slot int64, n uint32) {
	of(c, floor(slot, stretch), func() *[stretch]uint32 { return new([stretch]uint32) })[slot&(stretch-1)] += n
}

func (c counted) in(slot int64) uint64 {
	if s := c[floor(slot, stretch)]; s != nil {
		return uint64(s[slot&(stretch-1)])
	}
	return 0
}
