// Package nearest finds the names that a mistyped one may have meant.
package nearest

import (
	"cmp"
	"slices"
	"strings"
)

// Names returns up to three of the names that may have been meant by name, nearest first: those that begin with it,
// and those within a third of their letters. Case does not matter.
func Names(name string, names []string) []string {
	type candidate struct {
		name string
		far  int
	}
	var near []candidate
	for _, n := range names {
		far := distance(strings.ToLower(name), n)
		if name != "" && strings.HasPrefix(n, strings.ToLower(name)) {
			far = 0
		}
		if far <= max(2, len(n)/3) {
			near = append(near, candidate{n, far})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return cmp.Compare(a.far, b.far) })
	var out []string
	for _, c := range near[:min(3, len(near))] {
		out = append(out, c.name)
	}
	return out
}

// distance is the Levenshtein distance: the fewest letters to insert, drop or change.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
