package golden_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chaeos/chaeos/harness/golden"
)

func TestDiff(t *testing.T) {
	for name, c := range map[string]struct{ want, got, diff string }{
		"equal":       {"a\nb\n", "a\nb\n", ""},
		"one changed": {"a\nb\nc\n", "a\nx\nc\n", "-    2  b\n+    2  x\n"},
		"one more":    {"a\nc\n", "a\nb\nc\n", "+    2  b\n"},
		"one less":    {"a\nb\nc\n", "a\nc\n", "-    2  b\n"},
		"two places":  {"a\nb\nc\nd\n", "x\nb\nc\ny\n", "-    1  a\n+    1  x\n-    4  d\n+    4  y\n"},
		"a blank":     {"a\n", "a \n", "-    1  a\n+    1  \"a \"\n"},
		"no newline":  {"a\nb\n", "a\nb", "-    2  b\n-    3    (no newline)\n+    2  b  (no newline)\n"},
	} {
		require.Equal(t, c.diff, golden.Diff(c.want, c.got), name)
	}
}

// TestDiffIsShort: one line of a long file that differs is one line of output, and a wholly other file is no flood.
func TestDiffIsShort(t *testing.T) {
	var lines []string
	for i := range 20_000 {
		lines = append(lines, fmt.Sprint("line ", i, "\n"))
	}
	want := strings.Join(lines, "")
	lines[12_345] = strings.Repeat("long ", 10_000) + "\n"
	diff := golden.Diff(want, strings.Join(lines, ""))
	require.Contains(t, diff, "-12346  line 12345\n")
	require.Less(t, len(diff), 1000)
	diff = golden.Diff(want, strings.ReplaceAll(want, "line", "row"))
	require.LessOrEqual(t, strings.Count(diff, "\n"), 41)
	require.Contains(t, diff, "more lines that differ")
}

// TestDiffShowsWhereALongLineDiffers, also where several follow each other.
func TestDiffShowsWhereALongLineDiffers(t *testing.T) {
	long := func(n int, word string) string {
		return strings.Repeat(fmt.Sprint(n), 2000) + word + strings.Repeat("z", 2000) + "\n"
	}
	diff := golden.Diff(long(1, "red")+long(2, "red"), long(1, "green")+long(2, "green"))
	require.Equal(t, 2, strings.Count(diff, "1red")+strings.Count(diff, "2red"), diff)
	require.Equal(t, 2, strings.Count(diff, "1green")+strings.Count(diff, "2green"), diff)
	require.Less(t, len(diff), 2000)
}

// TestDiffTurnsOneIntoTheOther: whatever the texts, the lines that a diff leaves out are the same in both.
func TestDiffTurnsOneIntoTheOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\n"}), 0, 12).Draw(t, name), "")
		}
		want, got := draw("want"), draw("got")
		kept := func(text string, sign byte) (rest []string) {
			gone := map[int]bool{}
			for line := range strings.Lines(golden.Diff(want, got)) {
				var n int
				if line[0] == sign {
					_, err := fmt.Sscanf(line[1:], "%d", &n)
					require.NoError(t, err)
					gone[n] = true
				}
			}
			for i, line := range strings.SplitAfter(text, "\n") {
				if !gone[i+1] {
					rest = append(rest, line)
				}
			}
			return rest
		}
		require.Equal(t, kept(want, '-'), kept(got, '+'))
	})
}
