package logs

import (
	"github.com/chaeos/chaeos/verifiers/compact"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// Held say which offsets of one partition's log hold records, so that what a reader was given can be compared with it.
type Held struct {
	// Committed are the records that a read_committed reader is given, others all further ones, strange those of the committed
	// that are not what the log is for: no envelopes of this run, or damaged ones. Occupied are the offsets of records and
	// control records: in an ordinary log all of them, one span.
	committed, others, strange, occupied spans
	// unread are the batches whose records are unknown.
	unread []offsetRange
}

type offsetRange struct{ from, to int64 }

// note takes a batch in, whose records should be of one status.
func (o *Held) note(b *Batch, want observation.Status) {
	if b.Damaged {
		o.unread = append(o.unread, offsetRange{b.First, b.Last + 1})
		return
	}
	if b.Control {
		o.occupied.add(b.First, b.Last+1)
		return
	}
	for i := range b.Spans {
		r := &b.Spans[i]
		from, to := r.First.Offset, r.First.Offset+r.Count
		o.occupied.add(from, to)
		if b.Decided != txns.Visible {
			o.others.add(from, to)
			continue
		}
		o.committed.add(from, to)
		if r.First.Status != want {
			o.strange.add(from, to)
		}
	}
}

// Stored is how many records the log holds in [from, to).
func (o *Held) Stored(from, to int64) uint64 {
	return o.committed.count(from, to) + o.others.count(from, to)
}

// Committed is how many of them a read_committed reader is given.
func (o *Held) Committed(from, to int64) uint64 { return o.committed.count(from, to) }

// CountCommitted counts as Committed does, for ranges that mostly lie one after the other. It is for one goroutine.
func (o *Held) CountCommitted() func(from, to int64) uint64 { return o.committed.counter() }

// CountStored counts as Stored does, in the same way.
func (o *Held) CountStored() func(from, to int64) uint64 {
	committed, others := o.committed.counter(), o.others.counter()
	return func(from, to int64) uint64 { return committed(from, to) + others(from, to) }
}

// Strange is how many of the committed ones are not what the log is for.
func (o *Held) Strange(from, to int64) uint64 { return o.strange.count(from, to) }

// Empty is how many offsets of [from, to) hold nothing at all.
func (o *Held) Empty(from, to int64) uint64 {
	all := uint64(max(0, to-from))
	return all - min(all, o.occupied.count(from, to))
}

// Known reports whether the log says what [from, to) holds: no batch there is damaged.
func (o *Held) Known(from, to int64) bool {
	for _, u := range o.unread {
		if from < u.to && u.from < to {
			return false
		}
	}
	return from >= 0
}

// spans are offsets in increasing order, as ranges that do not touch: logs are dense, and counting is two searches.
type spans struct {
	// starts maps where each range begins to how many offsets are in those before it.
	starts compact.Table
	total  uint64
	// end is where the newest range ends.
	end int64
}

// add adds [from, to), which lies above everything before: what a damaged file puts lower is left out.
func (s *spans) add(from, to int64) {
	switch {
	case to <= from || from < 0 || s.total > 0 && from < s.end:
		return
	case s.total == 0 || from > s.end:
		s.starts.Add(compact.Entry{Key: uint64(from), Value: int64(s.total)})
	}
	s.total += uint64(to - from)
	s.end = to
}

func (s *spans) count(from, to int64) uint64 { return s.counter()(from, to) }

// counter counts the offsets of ranges that mostly lie one after the other. It is for one goroutine.
func (s *spans) counter() func(from, to int64) uint64 {
	seeker := s.starts.Seeker()
	below := func(offset int64) uint64 {
		if offset < 0 || !seeker.To(uint64(offset)) {
			return 0
		}
		span, within, next := seeker.Entry(), s.total, seeker.Cursor
		if next.Next() {
			within = uint64(next.Entry().Value)
		}
		before := uint64(span.Value)
		return before + min(uint64(offset)-span.Key, within-before)
	}
	return func(from, to int64) uint64 {
		if to <= from {
			return 0
		}
		n := below(from)
		return below(to) - n
	}
}
