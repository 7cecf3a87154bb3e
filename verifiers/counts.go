package verifiers

import (
	"fmt"
	"slices"
	"strings"
)

// counts prints counters by name, sorted.
func counts(by map[string]uint64) string {
	var all []string
	for name, n := range by {
		all = append(all, fmt.Sprintf("%s %s", name, number(n)))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// partitionsOf lists a counter's partitions, sorted.
func partitionsOf[V any](m map[int32]V) []int32 {
	var all []int32
	for p := range m {
		all = append(all, p)
	}
	slices.Sort(all)
	return all
}
