package golden

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDiff(t *testing.T) {
	require.Empty(t, Diff("a\nb", "a\nb"))
	require.Equal(t, "-    2  b\n+    2  x", Diff("a\nb\nc", "a\nx\nc"))
	require.Equal(t, "+    2  x", Diff("a\nb", "a\nx\nb"))
	require.Equal(t, "-    2  b", Diff("a\nb\nc", "a\nc"))
	require.Equal(t, "+    2  c", Diff("a", "a\nc"))
	require.Equal(t, "-    1  a\n+    1  b", Diff("a", "b"))
}

// TestDiffIsShort: of two large files of which one line differs, one line is shown.
func TestDiffIsShort(t *testing.T) {
	want := strings.Repeat("the same\n", 20_000)
	require.Equal(t, "+20001  another", Diff(want, want[:len(want)-1]+"\nanother\n"))
	require.LessOrEqual(t, strings.Count(Diff(want, strings.Repeat("another\n", 20_000)), "\n"), most)
}
