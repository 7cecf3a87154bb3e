package compact

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestTable compares a table with a plain slice.
func TestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfDistinct(rapid.Uint64(), rapid.ID[uint64]).Draw(t, "keys")
		slices.Sort(keys)
		var table Table
		var plain []Entry
		for _, k := range keys {
			e := Entry{k, rapid.Int64().Draw(t, "value")}
			require.True(t, table.Add(e))
			plain = append(plain, e)
		}
		require.Equal(t, len(plain), table.Len())
		first, any := table.First()
		require.Equal(t, len(plain) > 0, any)
		if any {
			require.Equal(t, plain[0], first.Entry())
		}
		for _, key := range append(keys, rapid.SliceOfN(rapid.Uint64(), 5, 5).Draw(t, "others")...) {
			i, found := slices.BinarySearchFunc(plain, key, func(e Entry, k uint64) int { return cmp.Compare(e.Key, k) })
			if !found {
				i--
			}
			c, ok := table.From(key)
			require.Equal(t, i >= 0, ok)
			for ; i >= 0 && i < len(plain); i++ {
				require.Equal(t, plain[i], c.Entry())
				require.Equal(t, i+1 < len(plain), c.Next())
			}
		}
	})
}

func TestTableTakesIncreasingKeysOnly(t *testing.T) {
	var table Table
	require.Zero(t, table.Last())
	for i := range uint64(40) {
		require.True(t, table.Add(Entry{10 * i, -int64(i)}))
	}
	require.False(t, table.Add(Entry{390, 7}))
	require.False(t, table.Add(Entry{5, 7}))
	require.Equal(t, Entry{390, -39}, table.Last())
	require.Equal(t, 40, table.Len())
	c, ok := table.From(math.MaxUint64)
	require.True(t, ok)
	require.Equal(t, table.Last(), c.Entry())
	require.False(t, c.Next())
}

// TestSeeker: wherever a seeker was before, it finds what a search finds.
func TestSeeker(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table Table
		for i := range rapid.IntRange(0, 200).Draw(t, "entries") {
			table.Add(Entry{Key: uint64(10 + 7*i), Value: int64(i)})
		}
		s := table.Seeker()
		for _, key := range rapid.SliceOf(rapid.Uint64Range(0, 1500)).Draw(t, "keys") {
			want, ok := table.From(key)
			require.Equal(t, ok, s.To(key))
			require.Equal(t, want, s.Cursor)
		}
	})
}
