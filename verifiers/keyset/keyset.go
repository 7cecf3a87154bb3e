// Package keyset holds sets of records as bitmaps: a record's key is a partition and an index in it (its
// offset, or its sequence divided by the number of partitions), so that what a run did in order costs next to nothing.
package keyset

import (
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// Key is one member.
type Key struct {
	Partition int32
	Index     uint64
}

// BySequence spreads a source's dense sequences over the partitions they go to: neighbours in a partition become
// neighbours in the set.
func BySequence(sequence uint64, partitions int) Key {
	return Key{Partition: int32(sequence % uint64(partitions)), Index: sequence / uint64(partitions)}
}

// Sequence undoes BySequence.
func (k Key) Sequence(partitions int) uint64 { return k.Index*uint64(partitions) + uint64(k.Partition) }

// Set is a set of keys. It is for one goroutine.
type Set struct {
	parts map[int32]*members
	// Overflow counts keys that were not added, because their index needs more than 32 bits. A set with an overflow
	// proves nothing.
	Overflow uint64
}

// members are those of one partition: bits, and the run [start, end) above everything in bits, which grows without touching
// them. Whole is a range of which every member is in bits (empty where none is known): questions that it answers don't
// search them.
type members struct {
	bits       *roaring.Bitmap
	start, end uint64
	whole      struct{ from, to uint64 }
}

// New makes an empty set.
func New() *Set { return &Set{parts: map[int32]*members{}} }

func (s *Set) of(c int32) *members {
	x, ok := s.parts[c]
	if !ok {
		x = &members{bits: roaring.New()}
		s.parts[c] = x
	}
	return x
}

// Add adds a key and reports whether it was new. Keys in increasing order are the fast case.
func (s *Set) Add(k Key) bool {
	if k.Index > math.MaxUint32 {
		s.Overflow++
		return false
	}
	return s.of(k.Partition).add(k.Index)
}

func (x *members) add(i uint64) bool {
	switch {
	case i == x.end:
		x.end++
		return true
	case i > x.end:
		x.flush()
		x.start, x.end = i, i+1
		return true
	case i >= x.start:
		return false
	}
	return x.bits.CheckedAdd(uint32(i))
}

// AddRange adds [from, to) of a partition and returns how many were new.
func (s *Set) AddRange(c int32, from, to uint64) (added uint64) {
	if to > math.MaxUint32+1 {
		s.Overflow += to - from
		return 0
	}
	if from >= to {
		return 0
	}
	x := s.of(c)
	if from > x.end {
		x.flush()
		x.start, x.end = from, from
	}
	for from < to && from < x.end {
		if x.add(from) {
			added++
		}
		from++
	}
	if from < to {
		added += to - from
		x.end = to
	}
	return added
}

// Extend adds [from, to) of a partition if it lies above every key of the partition, and reports whether it did.
func (s *Set) Extend(c int32, from, to uint64) bool {
	x := s.of(c)
	if from < x.end || from >= to || to > math.MaxUint32+1 {
		return false
	}
	if from > x.end {
		x.flush()
		x.start = from
	}
	x.end = to
	return true
}

func (x *members) flush() *roaring.Bitmap {
	if x.start < x.end {
		x.bits.AddRange(x.start, x.end)
		x.start = x.end
	}
	return x.bits
}

// Has reports whether the key is in the set.
func (s *Set) Has(k Key) bool {
	x, ok := s.parts[k.Partition]
	if !ok || k.Index > math.MaxUint32 {
		return false
	}
	return k.Index >= x.start && k.Index < x.end || x.bits.Contains(uint32(k.Index))
}

// Count is how many keys of [from, to) are in the set.
func (s *Set) Count(c int32, from, to uint64) (n uint64) {
	x, ok := s.parts[c]
	if to = min(to, math.MaxUint32+1); !ok || from >= to {
		return 0
	}
	if from >= x.whole.from && to <= x.whole.to {
		return to - from
	}
	if a, b := max(from, x.start), min(to, x.end); a < b {
		n = b - a
	}
	if below := min(to, x.start); from < below {
		n += x.bits.CardinalityInRange(from, below)
	}
	return n
}

// HasRange reports whether every key of [from, to) is in the set.
func (s *Set) HasRange(c int32, from, to uint64) bool { return s.Count(c, from, to) == to-from }

// HasAny reports whether a key of [from, to) is in the set.
func (s *Set) HasAny(c int32, from, to uint64) bool { return s.Count(c, from, to) > 0 }

// Len is the number of keys.
func (s *Set) Len() (n uint64) {
	for _, x := range s.parts {
		n += x.bits.GetCardinality() + x.end - x.start
	}
	return n
}

// Partitions lists the partitions with members, sorted.
func (s *Set) Partitions() []int32 {
	var all []int32
	for c, x := range s.parts {
		if x.start < x.end || !x.bits.IsEmpty() {
			all = append(all, c)
		}
	}
	slices.Sort(all)
	return all
}

// Each calls fn with every key, in order, until it returns false.
func (s *Set) Each(fn func(Key) bool) {
	for _, c := range s.Partitions() {
		more := true
		s.parts[c].flush().Iterate(func(i uint32) bool {
			more = fn(Key{c, uint64(i)})
			return more
		})
		if !more {
			return
		}
	}
}

// First returns up to n keys, in order.
func (s *Set) First(n int) []Key {
	var keys []Key
	s.Each(func(k Key) bool {
		if len(keys) < n {
			keys = append(keys, k)
		}
		return len(keys) < n
	})
	return keys
}

// Union adds every key of o.
func (s *Set) Union(o *Set) {
	s.Overflow += o.Overflow
	for c, y := range o.parts {
		x := s.of(c)
		x.flush().Or(y.flush())
		x.settle()
	}
}

// settle restores that the run lies above everything in bits.
func (x *members) settle() {
	x.start, x.end = 0, 0
	if !x.bits.IsEmpty() {
		x.end = uint64(x.bits.Maximum()) + 1
		x.start = x.end
	}
}

// And returns the keys that are in both sets.
func (s *Set) And(o *Set) *Set {
	return s.combine(o, roaring.And)
}

// Minus returns the keys that are in s and not in o.
func (s *Set) Minus(o *Set) *Set {
	return s.combine(o, roaring.AndNot)
}

func (s *Set) combine(o *Set, op func(x, y *roaring.Bitmap) *roaring.Bitmap) *Set {
	out := New()
	out.Overflow = s.Overflow + o.Overflow
	empty := roaring.New()
	for c, x := range s.parts {
		other := empty
		if y, ok := o.parts[c]; ok {
			other = y.flush()
		}
		z := &members{bits: op(x.flush(), other)}
		z.settle()
		out.parts[c] = z
	}
	return out
}

// Below returns the keys whose index is lower than limit says for their partition (0 where it says nothing).
func (s *Set) Below(limit map[int32]int64) *Set {
	out := New()
	out.Overflow = s.Overflow
	for c, x := range s.parts {
		bits := x.flush().Clone()
		bits.RemoveRange(uint64(max(0, limit[c])), math.MaxUint32+1)
		z := &members{bits: bits}
		z.settle()
		out.parts[c] = z
	}
	return out
}

// Where returns the keys of the partitions that belong.
func (s *Set) Where(belongs func(partition int32) bool) *Set {
	out := New()
	for c, x := range s.parts {
		if !belongs(c) {
			continue
		}
		z := &members{bits: x.flush().Clone()}
		z.settle()
		out.parts[c] = z
	}
	return out
}

// Shifted returns the keys with their partitions moved up by a number.
func (s *Set) Shifted(by int32) *Set {
	out := New()
	out.Overflow = s.Overflow
	for c, x := range s.parts {
		z := &members{bits: x.flush().Clone()}
		z.settle()
		out.parts[c+by] = z
	}
	return out
}

// Compact makes the bitmaps as small as they can be. Several goroutines may then read the set.
func (s *Set) Compact() {
	for _, x := range s.parts {
		bits := x.flush()
		bits.RunOptimize()
		if bits.IsEmpty() {
			continue
		}
		if from, to := uint64(bits.Minimum()), uint64(bits.Maximum())+1; bits.GetCardinality() == to-from {
			x.whole.from, x.whole.to = from, to
		}
	}
}
