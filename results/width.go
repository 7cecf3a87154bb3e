package results

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/chaeos/chaeos/harness"
)

// spare are the columns that a table too wide for its terminal goes without, the first to go first. The claim, what was
// delivered, duplicates and losses always stay.
var spare = []string{
	"neverLive", "p99", "recovery", "longestStall", "noProgress", "identityTwice", "ackedAbsent", "reordered",
	"offsetsWentBack", "unique", "lsoStalls", "unknown", "abortedSeen", "torn", "input", "hidden", "unprocessed",
}

// fit takes columns away until the table is at most width wide (0: no limit), and returns those it took.
func fit(rows []harness.Row, width int) (kept, left []Column) {
	kept = shown(rows)
	for _, key := range spare {
		if width <= 0 || tableWidth(kept, rows) <= width {
			break
		}
		if i := slices.IndexFunc(kept, func(c Column) bool { return c.Key == key }); i >= 0 {
			left = append(left, kept[i])
			kept = slices.Delete(kept, i, i+1)
		}
	}
	slices.Reverse(left)
	return kept, left
}

// tableWidth is the number of characters in a line of the table: cells with a blank before and after each.
func tableWidth(columns []Column, rows []harness.Row) int {
	width := 0
	for _, c := range columns {
		widest := utf8.RuneCountInString(c.Header)
		for _, r := range rows {
			widest = max(widest, utf8.RuneCountInString(c.Text(r)))
		}
		width += widest + 2
	}
	return width
}

// leftOut writes the columns that had no room, a line a pipeline.
func leftOut(rows []harness.Row, left []Column) []note {
	var out []note
	if len(left) == 0 {
		return nil
	}
	for _, r := range rows {
		var figures []string
		for _, c := range left {
			figures = append(figures, fmt.Sprintf("%s %s", c.Header, c.Text(r)))
		}
		out = append(out, note{"more", r.Pipeline, strings.Join(figures, "; ")})
	}
	return out
}

// wrap breaks a text at blanks into lines of at most width characters; a word that is longer gets a line of its own.
func wrap(text string, width int) []string {
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	var lines []string
	line, length := indent, len(indent)
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		if i > 0 && length+1+n > width {
			lines = append(lines, line)
			line, length = indent, len(indent)
		} else if i > 0 {
			line += " "
			length++
		}
		line += word
		length += n
	}
	return append(lines, line)
}
