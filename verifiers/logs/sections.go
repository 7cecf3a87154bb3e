package logs

import (
	"math"

	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// Section says what some neighbouring batches of an output partition can hold at most, so that a later pass for a few
// records or transactions leaves the others out: logs are written nearly in order, and most sections are narrow.
type Section struct {
	place   int64
	batches int
	// txns are the ordinals of transactions, keys the inputs' offsets (of a source under test, sequences).
	txns, keys extent
}

// extent is a range of numbers with both its ends; low > high is empty.
type extent struct{ low, high uint64 }

var nothing = extent{math.MaxUint64, 0}

func (x *extent) add(n uint64) { x.low, x.high = min(x.low, n), max(x.high, n) }

// sections grow by one batch after the other.
type sections []Section

func (s *sections) add(b *observation.Batch, k keys, most int) {
	n := len(*s)
	if n == 0 || (*s)[n-1].batches == most {
		*s = append(*s, Section{place: b.Place, txns: nothing, keys: nothing})
		n++
	}
	x := &(*s)[n-1]
	x.batches++
	for i := range b.Spans {
		r := &b.Spans[i]
		if r.First.Txn != 0 {
			x.txns.add(r.First.Txn)
		}
		first, step := k.number(r)
		x.keys.add(first)
		if r.Count > 1 {
			if step > math.MaxUint32 { // backwards, or nonsense: whatever it holds
				x.keys = extent{0, math.MaxUint64}
				continue
			}
			x.keys.add(first + uint64(r.Count-1)*step)
		}
	}
}

// holdsAny reports whether one of a set's keys may be in the section.
func (x *Section) holdsAny(among *keyset.Set, k keys) bool {
	if x.keys.low > x.keys.high {
		return false
	}
	low, high := k.indexes(x.keys.low, x.keys.high)
	for _, partition := range among.Partitions() {
		if among.HasAny(partition, low, max(high, high+1)) {
			return true
		}
	}
	return false
}

// HoldsTxn reports whether a transaction of one of the blocks may be in the section.
func (x *Section) HoldsTxn(wanted map[txns.Block]bool) bool {
	if x.txns.low > x.txns.high {
		return false
	}
	for b := range wanted {
		if b.Index >= x.txns.low/txns.BlockSize && b.Index <= x.txns.high/txns.BlockSize {
			return true
		}
	}
	return false
}

// readWhere reads the batches of the sections that may hold something, as spans.
func (p *Partition) readWhere(may func(*Section) bool, fn func(*observation.Batch)) error {
	for i := 0; i < len(p.sections); i++ {
		if !may(&p.sections[i]) {
			continue
		}
		from, left := p.sections[i].place, p.sections[i].batches
		for i+1 < len(p.sections) && may(&p.sections[i+1]) {
			i++
			left += p.sections[i].batches
		}
		if err := observation.ReadSpansFrom(p.Path, from, left, fn); err != nil {
			return err
		}
	}
	return nil
}
