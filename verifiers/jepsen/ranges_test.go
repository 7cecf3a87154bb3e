package jepsen

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestRangesAreASet compares ranges with a map, and what add says was there before with what was.
func TestRangesAreASet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r ranges
		all := map[uint64]bool{}
		for range rapid.IntRange(1, 30).Draw(t, "adds") {
			from := rapid.Uint64Range(0, 60).Draw(t, "from")
			to := from + rapid.Uint64Range(0, 12).Draw(t, "length")
			before := map[uint64]bool{}
			for _, s := range r.add(from, to) {
				for n := s.from; n < s.to; n++ {
					require.False(t, before[n], "returned twice")
					before[n] = true
				}
			}
			for n := from; n < to; n++ {
				require.Equal(t, all[n], before[n])
				all[n] = true
			}
			require.LessOrEqual(t, len(before), int(to-from))
		}
		for n := range uint64(80) {
			require.Equal(t, all[n], r.has(n), "%d in %v", n, r.list)
		}
		for i := 1; i < len(r.list); i++ {
			require.Greater(t, r.list[i].from, r.list[i-1].to, "they neither touch nor overlap")
		}
	})
}
