package golden

import (
	"fmt"
	"slices"
	"strings"
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
	all := edits(a, b, same)
	begin := starts(all)
	var out strings.Builder
	for i, e := range all {
		if i == mostLines {
			fmt.Fprintf(&out, "… and %d more lines that differ\n", len(all)-mostLines)
			break
		}
		out.WriteString(e.line(begin[i]))
	}
	return out.String()
}

// edit is a line that only one of the texts has.
type edit struct {
	sign rune // '-' for a line of want, '+' for one of got
	at   int
	text string
}

// edits lists what turns a into b; both begin after the line `after` of their texts.
func edits(a, b []string, after int) (out []edit) {
	longest := common(a, b)
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j] && longest[i][j] == longest[i+1][j+1]+1:
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && longest[i+1][j] >= longest[i][j+1]:
			out = append(out, edit{'-', after + i, a[i]})
			i++
		default:
			out = append(out, edit{'+', after + j, b[j]})
			j++
		}
	}
	return out
}

// starts returns, for each edit, how many characters it begins with that its counterpart begins with too: the n-th of the lines
// that are gone is the counterpart of the n-th that came instead.
func starts(all []edit) []int {
	same := make([]int, len(all))
	run := func(from int, sign rune) (to int) {
		for to = from; to < len(all) && all[to].sign == sign; to++ {
		}
		return to
	}
	for i := 0; i < len(all); {
		gone := run(i, '-')
		came := run(gone, '+')
		for k := range min(gone-i, came-gone) {
			n := sameStart(all[i+k].text, all[gone+k].text)
			same[i+k], same[gone+k] = n, n
		}
		i = came
	}
	return same
}

func sameStart(one, other string) (n int) {
	a, b := []rune(one), []rune(other)
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// common holds, for every pair of positions, how many lines a and b have in common from there on. For texts that are too
// long for that it finds nothing.
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

// line is one line of a diff. What can't be seen, such as a blank at the end or a missing newline, is quoted. Of a long line
// it shows where it begins to differ.
func (e edit) line(same int) string {
	text, ended := strings.CutSuffix(e.text, "\n")
	if letters := []rune(text); len(letters) > mostRunes {
		from := min(max(0, same-mostRunes/4), len(letters)-mostRunes)
		text = string(letters[from : from+mostRunes])
		if from > 0 {
			text = "…" + text
		}
		if from+mostRunes < len(letters) {
			text += "…"
		}
	}
	if text != strings.TrimRight(text, " \t\r") || strings.ContainsRune(text, '\x1b') {
		text = fmt.Sprintf("%q", text)
	}
	if !ended {
		text += "  (no newline)"
	}
	return fmt.Sprintf("%c%5d  %s\n", e.sign, e.at+1, text)
}
