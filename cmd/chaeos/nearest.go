package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// unknown is the usage error for a name that isn't there: it offers the nearest names, or all of them.
func unknown(kind, name string, names []string) error {
	near := nearest(name, names)
	if len(near) == 0 {
		return usagef("unknown %s %q (there are: %s)", kind, name, strings.Join(names, ", "))
	}
	return usagef("unknown %s %q (did you mean %s?)", kind, name, strings.Join(near, ", "))
}

// nearest returns up to three names that a person may have meant, nearest first.
func nearest(name string, names []string) []string {
	type candidate struct {
		name string
		far  int
	}
	var near []candidate
	for _, n := range names {
		far := distance(strings.ToLower(name), n)
		if strings.HasPrefix(n, strings.ToLower(name)) {
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

// oneOf returns a usage error unless name is among names.
func oneOf(kind, name string, names []string) error {
	if slices.Contains(names, name) {
		return nil
	}
	return unknown(kind, name, names)
}

// quoted joins names for a help text.
func quoted(names []string) string { return fmt.Sprintf("one of %s", strings.Join(names, ", ")) }
