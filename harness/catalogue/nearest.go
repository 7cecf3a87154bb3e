package catalogue

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// suggest names the nearest of the names there are, or all of them where none is near.
func suggest(name string, names []string) string {
	near := nearest(name, names)
	if len(near) == 0 {
		return "there are: " + strings.Join(names, ", ")
	}
	return fmt.Sprintf("did you mean %s?", strings.Join(near, " or "))
}

// nearest lists names that a typing slip may have turned into name, nearest first: at most three, within a third of the
// name's length, or beginning with it.
func nearest(name string, names []string) []string {
	limit := max(2, len(name)/3)
	near := slices.DeleteFunc(slices.Clone(names), func(n string) bool {
		return distance(name, n) > limit && (name == "" || !strings.HasPrefix(n, name))
	})
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(distance(name, a), distance(name, b)) })
	return near[:min(3, len(near))]
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
