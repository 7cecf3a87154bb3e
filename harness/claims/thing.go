package claims

import "slices"

// The methods here are for the function that Change calls: the thing is the caller's to change.

func (t *Thing[V]) claimed() bool { return len(t.claims) > 0 }

// Begin says what the thing was like at first.
func (t *Thing[V]) Begin(first V) {
	t.book.mu.Lock()
	defer t.book.mu.Unlock()
	t.first = first
}

// BeginOnce says it unless a fault has a claim already.
func (t *Thing[V]) BeginOnce(first V) {
	if !t.claimed() {
		t.Begin(first)
	}
}

// Add notes a claim, the newest.
func (t *Thing[V]) Add(want V) *Claim[V] {
	c := &Claim[V]{of: t, want: want}
	t.book.mu.Lock()
	defer t.book.mu.Unlock()
	t.claims = append(t.claims, c)
	return c
}

// Age makes a claim the oldest.
func (t *Thing[V]) Age(c *Claim[V]) {
	t.book.mu.Lock()
	defer t.book.mu.Unlock()
	t.claims = append([]*Claim[V]{c}, slices.DeleteFunc(t.claims, func(other *Claim[V]) bool { return other == c })...)
}

// Finish makes the thing stay as it is now, whichever fault is healed.
func (t *Thing[V]) Finish(now V) {
	t.book.mu.Lock()
	defer t.book.mu.Unlock()
	t.first = now
	for _, c := range t.claims {
		c.want = now
	}
}

// First is what the claimed thing was like at first.
func (c *Claim[V]) First() V {
	c.of.book.mu.Lock()
	defer c.of.book.mu.Unlock()
	return c.of.first
}
