package timeline

// piece is how many slots are counted together: a long run has a slot of nearly every moment, and a map of single
// slots takes ten times the memory.
const piece = 256

// counted are counts in slots of a tenth of a bucket, numbered from the load's start (negative before it).
type counted map[int64]*[piece]uint32

func (c counted) add(slot int64, n uint32) {
	of(c, floor(slot, piece), func() *[piece]uint32 { return new([piece]uint32) })[slot&(piece-1)] += n
}

func (c counted) in(slot int64) uint64 {
	if s := c[floor(slot, piece)]; s != nil {
		return uint64(s[slot&(piece-1)])
	}
	return 0
}
