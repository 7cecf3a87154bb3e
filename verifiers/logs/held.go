package logs

import (
	"sort"

	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// Held say which offsets of one partition's log hold records, so that what a reader was given can be compared with it.
type Held struct {
	// Committed are the records that a read_committed reader is given, others all further ones, strange those of the committed
	// that are not what the log is for: no envelopes of this run, or damaged ones. Occupied are the offsets of records and
	// control records: in an ordinary log all of them, one span.
	committed, others, strange, occupied spans
	// unread are the batches whose records can't be told.
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
	for i := range b.Runs {
		r := &b.Runs[i]
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
type spans []span

// span is [from, to), with before offsets in the spans before it.
type span struct {
	from, to int64
	before   uint64
}

// add adds [from, to), which lies above everything before: what a damaged file puts lower is left out.
func (s *spans) add(from, to int64) {
	n := len(*s)
	if to <= from || from < 0 {
		return
	}
	if n == 0 {
		*s = append(*s, span{from: from, to: to})
		return
	}
	last := &(*s)[n-1]
	switch {
	case from == last.to:
		last.to = to
	case from > last.to:
		*s = append(*s, span{from, to, last.before + uint64(last.to-last.from)})
	}
}

func (s spans) count(from, to int64) uint64 {
	if to <= from {
		return 0
	}
	return s.below(to) - s.below(from)
}

// below is how many offsets lie below one.
func (s spans) below(offset int64) uint64 {
	i := sort.Search(len(s), func(i int) bool { return s[i].to > offset })
	switch {
	case i < len(s):
		return s[i].before + uint64(max(0, offset-s[i].from))
	case i > 0:
		return s[i-1].before + uint64(s[i-1].to-s[i-1].from)
	}
	return 0
}
