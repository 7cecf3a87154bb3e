package prose_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chaeos/chaeos/harness/prose"
)

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"":                          "",
		"acks=1 – 30 % ∞ ×2":        "acks=1 – 30 % ∞ ×2",
		"\x1b[31mred\x1b]0;title\a": `\x1b[31mred\x1b]0;title\x07`,
		"a\nb\n":                    "a; b",
		"a\tb":                      "a b",
		"a\r\x08\x7f":               `a\x0d\x08\x7f`,
		"\u009b31m":                 `\x9b31m`,
		"\u202egnp.exe\u2066":       `\u202egnp.exe\u2066`,
		"a\u2028b":                  `a\u2028b`,
		"cut \xff off":              `cut \xff off`,
		"a real \ufffd":             `a real \ufffd`,
	} {
		require.Equal(t, want, prose.Line(in), "%q", in)
	}
}

func TestLines(t *testing.T) {
	require.Equal(t, "a\n\tb\nc\\x1b[2J\n", prose.Lines("a\n\tb\r\nc\x1b[2J\n"))
}

// TestNothingUnsafeIsLeft: whatever comes in, a terminal obeys nothing of what comes out.
func TestNothingUnsafeIsLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")
		require.False(t, strings.ContainsFunc(prose.Line(in), prose.Unsafe))
		require.False(t, strings.ContainsFunc(prose.Lines(in), func(r rune) bool { return r != '\n' && r != '\t' && prose.Unsafe(r) }))
	})
}

func TestCleanedReachesEveryString(t *testing.T) {
	type word string
	type inner struct {
		Words []word
		Any   any
	}
	type outer struct {
		Name   string
		Inner  *inner
		By     map[string]inner
		When   time.Time
		Count  *uint64
		hidden string
	}
	now, n := time.Now(), uint64(3)
	dirty := &outer{Name: "\a", Inner: &inner{Words: []word{"\a"}, Any: "\a"}, By: map[string]inner{"\a": {Words: []word{"\a"}}}, When: now, Count: &n, hidden: "\a"}
	const bell = `\x07`
	require.Equal(t, &outer{Name: bell, Inner: &inner{Words: []word{bell}, Any: bell}, By: map[string]inner{bell: {Words: []word{bell}}}, When: now, Count: &n,
		hidden: "\a"}, prose.Cleaned(dirty))
	require.Equal(t, "\a", dirty.Name, "what was given stays as it is")
	require.Equal(t, "\a", dirty.Inner.Any)
	require.Nil(t, prose.Cleaned[*outer](nil))
}
