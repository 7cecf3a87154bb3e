package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRoomsAreWired goes through the real rooms as far as that is possible without a cluster.
func TestRoomsAreWired(t *testing.T) {
	b := newBench(t)
	b.parts = rooms()
	require.Zero(t, b.do("list"), b.err.String())
	list := b.out.String()
	for line := range strings.Lines(list) {
		name, _, _ := strings.Cut(line, " ")
		b.out.Reset()
		require.Zero(t, b.do("show", name, "--seed", "7"), b.err.String())
		require.Contains(t, b.out.String(), name+", seed 7")
		first := b.out.String()
		b.out.Reset()
		require.Zero(t, b.do("show", name, "--seed", "7"))
		require.Equal(t, first, b.out.String(), "the same seed gives the same schedule")
	}
	require.Contains(t, list, "leader-partition")

	b.err.Reset()
	require.Equal(t, exitUsage, b.do("run", "leader-partitoin"))
	require.Contains(t, b.err.String(), "did you mean leader-partition?")
	require.Equal(t, exitUsage, b.do("run", "leader-partition", "--duration", "1s"))
}
