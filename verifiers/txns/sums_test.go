package txns

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestIncarnationsDoNotMix: two incarnations count their transactions from 1, each in blocks of its own. A record that one of
// them lacks and the other has too many is noticed in both.
func TestIncarnationsDoNotMix(t *testing.T) {
	first, second := Of(3, 1), Of(3, 2)
	history, log := NewSums(), NewSums()
	for ordinal := uint64(1); ordinal <= 2*BlockSize; ordinal++ {
		for _, i := range []Incarnation{first, second} {
			history.Expect(i, ordinal, true, map[int32]uint64{0: 2, 1: 1})
		}
	}
	for ordinal := uint64(2 * BlockSize); ordinal > 0; ordinal-- { // in another order
		for _, i := range []Incarnation{second, first} {
			key := Key{i, ordinal}
			log.Take(key, 1, Weight(key, 1, Visible))
			log.Take(key, 2, Weight(key, 0, Visible))
		}
	}
	require.Len(t, history.ByBlock, 6, "ordinals 1 to 63, 64 to 127 and 128, of each incarnation")
	require.Equal(t, history.ByBlock, log.ByBlock)

	less, more := Key{first, BlockSize}, Key{second, BlockSize}
	log.Take(less, 1, -Weight(less, 0, Visible))
	log.Take(more, 1, Weight(more, 0, Visible))
	wrong := map[Block]bool{}
	for b, sum := range log.ByBlock {
		if history.ByBlock[b] != sum {
			wrong[b] = true
		}
	}
	require.Equal(t, []Block{{first, 1}, {second, 1}}, SortedBlocks(wrong))
}

// TestMergeAddsUp: partitions are summed apart, and merged.
func TestMergeAddsUp(t *testing.T) {
	i := Of(1, 1)
	whole, a, b := NewSums(), NewSums(), NewSums()
	whole.Expect(i, 5, false, map[int32]uint64{0: 4, 7: 9})
	for p, s := range map[int32]*Sums{0: a, 7: b} {
		key := Key{i, 5}
		s.Take(key, map[int32]uint64{0: 4, 7: 9}[p], Weight(key, p, Aborted))
	}
	b.Suspect(i, 200)
	a.Merge(b)
	require.Equal(t, whole.ByBlock, a.ByBlock)
	require.Equal(t, map[Block]bool{{i, 3}: true}, a.Suspects)
	require.NotEqual(t, Weight(Key{i, 5}, 0, Aborted), Weight(Key{i, 5}, 0, Visible))
}
