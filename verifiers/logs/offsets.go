package logs

import (
	"math"

	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// Offsets say which offsets of one partition's log hold records, so that what a reader was given can be compared with it.
type Offsets struct {
	// stored are all records, committed those that a read_committed reader is given, strange those of the committed that are
	// not what the log is for: no envelopes of this run, or damaged ones.
	// markers are the offsets of control records.
	stored, committed, strange, markers *keyset.Set
	// unread are the batches whose records can't be told.
	unread []offsetRange
}

type offsetRange struct{ from, to int64 }

func newOffsets() Offsets {
	return Offsets{stored: keyset.New(), committed: keyset.New(), strange: keyset.New(), markers: keyset.New()}
}

// note takes a batch in, whose records should be of one status.
func (o *Offsets) note(b *Batch, want observation.Status) {
	if b.Damaged {
		o.unread = append(o.unread, offsetRange{b.First, b.Last + 1})
		return
	}
	if b.Control {
		o.markers.AddRange(0, uint64(b.First), uint64(b.Last+1))
		return
	}
	for i := range b.Runs {
		r := &b.Runs[i]
		from, to := uint64(r.First.Offset), uint64(r.First.Offset+r.Count)
		o.stored.AddRange(0, from, to)
		if b.Decided != txns.Visible {
			continue
		}
		o.committed.AddRange(0, from, to)
		if r.First.Status != want {
			o.strange.AddRange(0, from, to)
		}
	}
}

// compact lets several rows ask at the same time.
func (o *Offsets) compact() {
	for _, set := range []*keyset.Set{o.stored, o.committed, o.strange, o.markers} {
		set.Compact()
	}
}

// Stored is how many records the log holds in [from, to), Committed how many of those a read_committed reader is given.
func (o *Offsets) Stored(from, to int64) uint64    { return count(o.stored, from, to) }
func (o *Offsets) Committed(from, to int64) uint64 { return count(o.committed, from, to) }

// Strange is how many of the committed ones are not what the log is for.
func (o *Offsets) Strange(from, to int64) uint64 { return count(o.strange, from, to) }

// Empty is how many offsets of [from, to) hold nothing at all.
func (o *Offsets) Empty(from, to int64) uint64 {
	all := uint64(max(0, to-from))
	return all - min(all, o.Stored(from, to)+count(o.markers, from, to))
}

// Known reports whether the log says what [from, to) holds: no batch there is damaged, and no offset too large to be kept.
func (o *Offsets) Known(from, to int64) bool {
	for _, u := range o.unread {
		if from < u.to && u.from < to {
			return false
		}
	}
	return from >= 0 && to <= math.MaxUint32
}

func count(s *keyset.Set, from, to int64) uint64 {
	if s == nil || to <= from || to <= 0 {
		return 0
	}
	return s.Count(0, uint64(max(0, from)), uint64(to))
}
