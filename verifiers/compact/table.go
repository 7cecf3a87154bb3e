// Package compact holds long tables of increasing numbers in a few bytes an entry, so that what is kept for each transaction of
// a run costs next to nothing.
package compact

import (
	"encoding/binary"
	"sort"
)

// chunkSize is how many entries share a place in the index: a search reads at most that many.
const chunkSize = 16

// Table maps increasing keys to values. It is written by one goroutine, and then read by any number. The zero value is empty.
type Table struct {
	index []chunk
	// deltas are what each entry but a chunk's first adds to the key and to the value of the entry before it.
	deltas []byte
	n      int
	last   Entry
}

// Entry is a key and its value.
type Entry struct {
	Key   uint64
	Value int64
}

// chunk is where some entries begin: the first of them, and the place of the second's deltas.
type chunk struct {
	Entry
	at int
}

// Add adds an entry above all others, and reports whether it is: otherwise it changes nothing.
func (t *Table) Add(e Entry) bool {
	switch {
	case t.n > 0 && e.Key <= t.last.Key:
		return false
	case t.n%chunkSize == 0:
		t.index = append(t.index, chunk{e, len(t.deltas)})
	default:
		t.deltas = binary.AppendUvarint(t.deltas, e.Key-t.last.Key)
		t.deltas = binary.AppendVarint(t.deltas, e.Value-t.last.Value) // wraps, and so does its sum
	}
	t.n++
	t.last = e
	return true
}

// Len is the number of entries.
func (t *Table) Len() int { return t.n }

// Last is the newest entry, the zero Entry of an empty table.
func (t *Table) Last() Entry { return t.last }

// Cursor is a place in a table. It is for one goroutine.
type Cursor struct {
	t *Table
	// entry is where it is, number its place in the table, at where the deltas of the next one are.
	entry      Entry
	number, at int
}

// From is a cursor at the last entry whose key is at most key. ok is false where there is none.
func (t *Table) From(key uint64) (c Cursor, ok bool) {
	i := sort.Search(len(t.index), func(i int) bool { return t.index[i].Key > key }) - 1
	if i < 0 {
		return c, false
	}
	c = Cursor{t, t.index[i].Entry, i * chunkSize, t.index[i].at}
	for {
		next := c
		if !next.Next() || next.entry.Key > key {
			return c, true
		}
		c = next
	}
}

// Entry is the entry at the cursor.
func (c *Cursor) Entry() Entry { return c.entry }

// Next moves to the next entry, and reports whether there is one.
func (c *Cursor) Next() bool {
	if c.number+1 >= c.t.n {
		return false
	}
	c.number++
	if c.number%chunkSize == 0 {
		x := &c.t.index[c.number/chunkSize]
		c.entry, c.at = x.Entry, x.at
		return true
	}
	key, n := binary.Uvarint(c.t.deltas[c.at:])
	value, m := binary.Varint(c.t.deltas[c.at+n:])
	c.entry.Key += key
	c.entry.Value += value
	c.at += n + m
	return true
}

// First is a cursor at the first entry. ok is false if the table is empty.
func (t *Table) First() (c Cursor, ok bool) {
	if t.n == 0 {
		return c, false
	}
	return Cursor{t, t.index[0].Entry, 0, t.index[0].at}, true
}

// Seeker finds entries for keys that mostly come in increasing order, each near the one before. It is for one goroutine.
type Seeker struct {
	Cursor
	t     *Table
	found bool
}

// Seeker is one that has found nothing yet.
func (t *Table) Seeker() Seeker { return Seeker{t: t} }

// near is how many entries a seeker looks at before it searches.
const near = 2 * chunkSize

// To moves to the last entry whose key is at most key, and reports whether there is one.
func (s *Seeker) To(key uint64) bool {
	if s.found && s.entry.Key <= key {
		for range near {
			next := s.Cursor
			if !next.Next() || next.entry.Key > key {
				return true
			}
			s.Cursor = next
		}
	}
	s.Cursor, s.found = s.t.From(key)
	return s.found
}
