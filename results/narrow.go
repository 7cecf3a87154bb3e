package results

import (
	"slices"
	"unicode/utf8"
)

// gridWidth is the number of characters in a line of a table: cells with a blank before and after each.
func gridWidth(head []string, body [][]string) int {
	width := 0
	for i, h := range head {
		widest := utf8.RuneCountInString(h)
		for _, line := range body {
			widest = max(widest, utf8.RuneCountInString(line[i]))
		}
		width += widest + 2
	}
	return width
}

// narrowed is a table that fits, and the headers of the columns that it went without.
type narrowed struct {
	head []string
	left []bool
	body [][]string
	gone []string
}

// narrow takes columns away, in the order in which spare names them, until a table is at most width wide (0: no limit).
func narrow(head []string, left []bool, body [][]string, width int, spare []string) narrowed {
	n := narrowed{head: slices.Clone(head), left: slices.Clone(left)}
	for _, line := range body {
		n.body = append(n.body, slices.Clone(line))
	}
	for _, name := range spare {
		if width <= 0 || gridWidth(n.head, n.body) <= width {
			break
		}
		i := slices.Index(n.head, name)
		n.head, n.left = slices.Delete(n.head, i, i+1), slices.Delete(n.left, i, i+1)
		for j := range n.body {
			n.body[j] = slices.Delete(n.body[j], i, i+1)
		}
		n.gone = append(n.gone, name)
	}
	return n
}
