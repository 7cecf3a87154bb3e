package golden

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// mostLines bounds a diff: who sees forty lines differ looks at the file.
	mostLines = 40
	// mostRunes bounds a line of it.
	mostRunes = 300
	// mostCells bounds the table that finds the fewest differences: about 2,000 lines on either side.
	mostCells = 4_000_000
)

// Diff returns the lines in which got differs from want, each with its number: "-" is only in want, "+" only in got. It
// returns "" where the texts are equal.
func Diff(want, got string) string {
	if want == got {
		return ""
	}
	a, b := strings.SplitAfter(want, "\n"), strings.SplitAfter(got, "\n")
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	a, b = a[same:], b[same:]
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	edits := edits(a, b, same)
	more := ""
	if len(edits) > mostLines {
		more = fmt.Sprintf("… and %d more lines that differ\n", len(edits)-mostLines)
		edits = edits[:mostLines]
	}
	return strings.Join(edits, "") + more
}

// edits lists what turns a into b; both begin after line `after` of their texts.
func edits(a, b []string, after int) (out []string) {
	longest := common(a, b)
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j] && longest[i][j] == longest[i+1][j+1]+1:
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && longest[i+1][j] >= longest[i][j+1]:
			out = append(out, line('-', after+i, a[i]))
			i++
		default:
			out = append(out, line('+', after+j, b[j]))
			j++
		}
	}
	return out
}

// common holds, for every pair of positions, how many lines a and b have in common from there on. Of texts too long for that
// it says that nothing is.
func common(a, b []string) [][]int {
	longest := make([][]int, len(a)+1)
	if len(a)*len(b) > mostCells {
		return slices.Repeat([][]int{make([]int, len(b)+1)}, len(a)+1)
	}
	for i := range longest {
		longest[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			if a[i] == b[j] {
				longest[i][j] = longest[i+1][j+1] + 1
			}
		}
	}
	return longest
}

// line is one line of a diff. What can't be seen, such as a blank at the end or a missing newline, is quoted.
func line(sign rune, index int, text string) string {
	text, ended := strings.CutSuffix(text, "\n")
	if text != strings.TrimRight(text, " \t\r") || strings.ContainsRune(text, '\x1b') {
		text = fmt.Sprintf("%q", text)
	}
	if utf8.RuneCountInString(text) > mostRunes {
		text = string([]rune(text)[:mostRunes]) + "…"
	}
	if !ended {
		text += "  (no newline)"
	}
	return fmt.Sprintf("%c%5d  %s\n", sign, index+1, text)
}
