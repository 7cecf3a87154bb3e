package jepsen_test

import (
	"maps"
	"slices"
)

// analysis is what a history shows, counted as Jepsen's workload documents it (the section "Analysis" of
// jepsen.tests.kafka, and the docstrings of its cases).
type analysis struct {
	ops []*operation
	// done are the completions.
	done []*operation
	// read are the values that operations known to have taken place were given, by key; failed those that a failed
	// operation would have written.
	read, failed map[int64]map[string]bool
	orders       map[int64]*order
	// writer is who wrote a value, by key: the last of several.
	writer map[int64]map[string]*operation
}

// order is the log of a key, as polls and sends that took place show it.
type order struct {
	// at are the values at each offset; offsets are sorted, and an index is a place in that list.
	at      map[int64]map[string]bool
	offsets []int64
	// index is the last place of a value, first its first.
	index, first map[string]int
}

func analyse(ops []*operation) *analysis {
	a := &analysis{ops: ops, read: map[int64]map[string]bool{}, failed: map[int64]map[string]bool{}, orders: map[int64]*order{}, writer: map[int64]map[string]*operation{}}
	for _, o := range ops {
		if o.kind == "invoke" {
			continue
		}
		a.done = append(a.done, o)
		for k, list := range o.reads {
			for _, m := range list {
				if o.kind == "ok" {
					put(a.read, k, m.value)
				}
			}
		}
		for k, list := range o.sends {
			if a.writer[k] == nil {
				a.writer[k] = map[string]*operation{}
			}
			for _, m := range list {
				a.writer[k][m.value] = o
				if o.kind == "fail" {
					put(a.failed, k, m.value)
				}
			}
		}
	}
	for _, o := range a.done {
		for k, list := range o.reads {
			a.place(k, list)
		}
		if a.committed(o) {
			for k, list := range o.sends {
				a.place(k, list)
			}
		}
	}
	for _, o := range a.orders {
		o.sort()
	}
	return a
}

func put(m map[int64]map[string]bool, k int64, v string) {
	if m[k] == nil {
		m[k] = map[string]bool{}
	}
	m[k][v] = true
}

// committed reports whether an operation took place: it says so, or something that it may have sent was read.
func (a *analysis) committed(o *operation) bool {
	if o.kind != "info" {
		return o.kind == "ok"
	}
	for k, list := range o.sends {
		for _, m := range list {
			if a.read[k][m.value] {
				return true
			}
		}
	}
	return false
}

func (a *analysis) place(k int64, list []message) {
	if a.orders[k] == nil {
		a.orders[k] = &order{at: map[int64]map[string]bool{}}
	}
	for _, m := range list {
		if m.offset >= 0 {
			put(a.orders[k].at, m.offset, m.value)
		}
	}
}

func (o *order) sort() {
	o.offsets = slices.Sorted(maps.Keys(o.at))
	o.index, o.first = map[string]int{}, map[string]int{}
	for i, offset := range o.offsets {
		for v := range o.at[offset] {
			if _, seen := o.first[v]; !seen {
				o.first[v] = i
			}
			o.index[v] = i
		}
	}
}

// step is how many places lie between two values of a key: 1 where nothing is known of one of them.
func (a *analysis) step(k int64, from, to string) int {
	o := a.orders[k]
	if o == nil {
		return 1
	}
	i, known := o.index[from]
	j, knownToo := o.index[to]
	if !known || !knownToo {
		return 1
	}
	return j - i
}
