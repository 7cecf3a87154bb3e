package keyset

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestAgainstMap draws operations and compares with a plain map.
func TestAgainstMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw(t, "a"), draw(t, "b")
		require.Equal(t, keysOf(func(k Key) bool { return a.model[k] && b.model[k] }), a.set.And(b.set).First(1<<20))
		require.Equal(t, keysOf(func(k Key) bool { return a.model[k] && !b.model[k] }), a.set.Minus(b.set).First(1<<20))
		limit := map[int32]int64{0: int64(rapid.IntRange(0, 40).Draw(t, "limit")), 1: 7}
		require.Equal(t, keysOf(func(k Key) bool { return a.model[k] && int64(k.Index) < limit[k.Partition] }), a.set.Below(limit).First(1<<20))
		a.set.Union(b.set)
		require.Equal(t, keysOf(func(k Key) bool { return a.model[k] || b.model[k] }), a.set.First(1<<20))
	})
}

type drawn struct {
	set   *Set
	model map[Key]bool
}

const span = 60

func draw(t *rapid.T, name string) drawn {
	d := drawn{New(), map[Key]bool{}}
	for range rapid.IntRange(0, 30).Draw(t, name) {
		c := int32(rapid.IntRange(0, 2).Draw(t, "partition"))
		from := rapid.Uint64Range(0, span-1).Draw(t, "from")
		if rapid.Bool().Draw(t, "single") {
			k := Key{c, from}
			require.Equal(t, !d.model[k], d.set.Add(k))
			d.model[k] = true
			continue
		}
		to := rapid.Uint64Range(from, span).Draw(t, "to")
		added := uint64(0)
		for i := from; i < to; i++ {
			if !d.model[Key{c, i}] {
				added++
			}
			d.model[Key{c, i}] = true
		}
		require.Equal(t, added, d.set.AddRange(c, from, to))
	}
	requireRanges(t, d)
	if rapid.Bool().Draw(t, "compact") {
		d.set.Compact()
		requireRanges(t, d)
	}
	require.EqualValues(t, len(d.model), d.set.Len())
	for k := range d.model {
		require.True(t, d.set.Has(k))
	}
	return d
}

// requireRanges compares the questions about ranges, and what may be added above everything.
func requireRanges(t *rapid.T, d drawn) {
	c := int32(rapid.IntRange(0, 2).Draw(t, "partition"))
	from := rapid.Uint64Range(0, span-1).Draw(t, "from")
	to := rapid.Uint64Range(from+1, span).Draw(t, "to")
	in, above := uint64(0), true
	for k := range d.model {
		if k.Partition == c && k.Index >= from {
			above = false
			if k.Index < to {
				in++
			}
		}
	}
	require.Equal(t, in == to-from, d.set.HasRange(c, from, to))
	require.Equal(t, in > 0, d.set.HasAny(c, from, to))
	require.Equal(t, above, d.set.Extend(c, from, to))
	if above {
		for i := from; i < to; i++ {
			d.model[Key{c, i}] = true
		}
	}
}

func keysOf(in func(Key) bool) []Key {
	var keys []Key
	for c := range int32(3) {
		for i := range uint64(span) {
			if in(Key{c, i}) {
				keys = append(keys, Key{c, i})
			}
		}
	}
	return slices.Clip(keys)
}

func TestOverflowIsCounted(t *testing.T) {
	s := New()
	require.False(t, s.Add(Key{0, 1 << 32}))
	require.Zero(t, s.AddRange(0, 1<<32-1, 1<<32+2))
	require.EqualValues(t, 4, s.Overflow)
}
