package claims

import (
	"slices"
	"sync"
)

// Things are the things of one kind. V is what a fault can want one to be.
type Things[V any] struct {
	book *Book
	kind string
}

// Of returns the book's things of a kind. Each kind has one V.
func Of[V any](book *Book, kind string) Things[V] { return Things[V]{book, kind} }

// Thing is one thing while a fault changes it.
type Thing[V any] struct {
	book *Book
	name string
	// changing is held by the fault that changes the thing: one at a time, while other things change.
	changing sync.Mutex
	// users are the faults that change it or wait to.
	users  int
	first  V
	claims []*Claim[V]
}

// Claim is one fault's wish for one thing.
type Claim[V any] struct {
	of   *Thing[V]
	want V
}

// Change does something to a thing that no other fault changes meanwhile.
func (t Things[V]) Change(name string, do func(*Thing[V]) error) error {
	one := t.enter(name)
	one.changing.Lock()
	defer func() {
		one.changing.Unlock()
		t.leave(one)
	}()
	return do(one)
}

func (t Things[V]) enter(name string) *Thing[V] {
	t.book.mu.Lock()
	defer t.book.mu.Unlock()
	one := t.find(name)
	if one == nil {
		one = &Thing[V]{book: t.book, name: name}
		if t.book.things == nil {
			t.book.things = map[string]thing{}
		}
		t.book.things[t.key(name)] = one
	}
	one.users++
	return one
}

func (t Things[V]) leave(one *Thing[V]) {
	t.book.mu.Lock()
	defer t.book.mu.Unlock()
	if one.users--; one.users == 0 && !one.claimed() {
		delete(t.book.things, t.key(one.name))
	}
}

// find returns a thing that is in the book, or nil. The book is locked.
func (t Things[V]) find(name string) *Thing[V] {
	one, _ := t.book.things[t.key(name)].(*Thing[V])
	return one
}

func (t Things[V]) key(name string) string { return t.kind + " " + name }

// Take notes that a fault wants a thing to be so. What the thing is like is read only where no other fault has a claim.
func (t Things[V]) Take(name string, want V, read func() (V, error)) (c *Claim[V], err error) {
	err = t.Change(name, func(one *Thing[V]) error {
		if !one.claimed() {
			first, err := read()
			if err != nil {
				return err
			}
			one.Begin(first)
		}
		c = one.Add(want)
		return nil
	})
	return c, err
}

// Give ends a claim once put has made the thing what it must be now, and reports whether that is what it was at first. It may
// be called again after an error.
func (t Things[V]) Give(c *Claim[V], put func(V) error) (last bool, err error) {
	err = t.Change(c.of.name, func(one *Thing[V]) error {
		if !slices.Contains(one.claims, c) {
			return nil
		}
		left := slices.DeleteFunc(slices.Clone(one.claims), func(other *Claim[V]) bool { return other == c })
		now := one.first
		if len(left) > 0 {
			now = left[len(left)-1].want
		}
		if err := put(now); err != nil {
			return err
		}
		last = len(left) == 0
		t.book.mu.Lock()
		defer t.book.mu.Unlock()
		one.claims = left
		return nil
	})
	return last, err
}

// Claimed reports whether any fault has a claim on a thing.
func (t Things[V]) Claimed(name string) bool {
	t.book.mu.Lock()
	defer t.book.mu.Unlock()
	one := t.find(name)
	return one != nil && one.claimed()
}
