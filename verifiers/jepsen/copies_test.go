package jepsen

import (
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness/history"
)

// TestCopiesAreSortedByWhoMadeThem: more of them than are sorted at once come back in the order of each incarnation's
// work, all of them, and nothing stays on the disk.
func TestCopiesAreSortedByWhoMadeThem(t *testing.T) {
	const each = sortedAtOnce * 2 / 3
	incarnations := []incarnation{{0, 1}, {0, 2}, {3, 1}}
	var all []copied
	for i, by := range incarnations {
		for n := range each {
			all = append(all, copied{
				by: by, processing: uint64(n), txn: uint64(n / 100), number: int32(i), visible: n%7 > 0, offset: int64(n * 3),
				Identity: history.Identity{Source: 9, Sequence: uint64(n) * 5},
			})
		}
	}
	mixed := slices.Clone(all)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
	dir := t.TempDir()
	c, err := newCopies(dir)
	require.NoError(t, err)
	for _, x := range mixed {
		require.NoError(t, c.add(x))
	}
	require.NoError(t, c.sort())
	require.Greater(t, len(c.parts), 1)
	var got []copied
	for _, by := range incarnations {
		got = append(got, c.by(by).take(func(copied) bool { return true })...)
	}
	require.True(t, slices.Equal(all, got))
	require.Empty(t, c.by(incarnation{7, 7}).take(func(copied) bool { return true }))
	require.NoError(t, c.close())
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestOneProcessingIsOneMessage: of several copies of one output a reader is given the visible one.
func TestOneProcessingIsOneMessage(t *testing.T) {
	c, err := newCopies(t.TempDir())
	require.NoError(t, err)
	for _, x := range []copied{{processing: 1, offset: 5}, {processing: 1, offset: 9, visible: true}, {processing: 2, offset: 7}, {processing: 2, number: 1, offset: 7}} {
		require.NoError(t, c.add(x))
	}
	require.NoError(t, c.sort())
	all := c.by(incarnation{})
	got := all.take(func(x copied) bool { return x.processing < 2 })
	require.Equal(t, []copied{{processing: 1, offset: 9, visible: true}}, got)
	require.Len(t, all.take(func(copied) bool { return true }), 2, "one in each of two output partitions")
	require.NoError(t, c.close())
}
