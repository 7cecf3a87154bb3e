// Package claims keeps, for one run, what its faults want of things that several of them may change at once: a setting, an
// order of replicas, whether a proxy listens, whether a process runs. Healed in any order, what the newest fault still
// active wants is in force, and at the end what was there at first.
package claims

import (
	"maps"
	"slices"
	"sync"
)

// Book holds the claims of one run. Its zero value has none.
type Book struct {
	mu     sync.Mutex
	things map[string]thing
	last   uint64
}

// thing is a *Thing[V] of whatever V.
type thing interface{ claimed() bool }

// Next counts up from 1, for names that no other fault of the run uses.
func (b *Book) Next() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last++
	return b.last
}

// Held lists the things that faults have claims on, each with its kind, sorted.
func (b *Book) Held() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	held := maps.Clone(b.things)
	maps.DeleteFunc(held, func(_ string, t thing) bool { return !t.claimed() })
	return slices.Sorted(maps.Keys(held))
}
