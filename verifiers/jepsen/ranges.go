package jepsen

import "slices"

// ranges is a set of numbers, small where they are dense: sorted ranges that neither touch nor overlap.
type ranges struct{ list []span }

// span are the numbers in [from, to).
type span struct{ from, to uint64 }

// add adds [from, to), and returns the parts of it that were there.
func (r *ranges) add(from, to uint64) (again []span) {
	if from >= to {
		return nil
	}
	// What ends below from stays before, what begins above to stays behind.
	i, _ := slices.BinarySearchFunc(r.list, from, func(s span, at uint64) int {
		if s.to < at {
			return -1
		}
		return 1
	})
	j := i
	whole := span{from, to}
	for ; j < len(r.list) && r.list[j].from <= to; j++ {
		s := r.list[j]
		if both := (span{max(s.from, from), min(s.to, to)}); both.from < both.to {
			again = append(again, both)
		}
		whole = span{min(whole.from, s.from), max(whole.to, s.to)}
	}
	r.list = slices.Replace(r.list, i, j, whole)
	return again
}

func (r *ranges) has(n uint64) bool {
	_, found := slices.BinarySearchFunc(r.list, n, func(s span, n uint64) int {
		switch {
		case s.to <= n:
			return -1
		case s.from > n:
			return 1
		}
		return 0
	})
	return found
}
