package logs

import (
	"fmt"

	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// maxHoles bounds how many holes of one log are kept; all are counted.
const maxHoles = 1000

// Hole is a range of offsets, from one to below another, that hold nothing although the log goes on after them. Kafka gives
// each record of a log the next offset: only compaction, which no topic of a run has, leaves offsets out.
type Hole struct{ From, To int64 }

// offsets follows the offsets of one log, batch by batch: they begin at the log's start and leave none out.
type offsets struct {
	// next is the offset that must come now, -1 where a damaged batch before it may have claimed anything.
	next int64
	// holes are the first of them, missing counts the offsets of all.
	holes   []Hole
	missing uint64
	// wrong says what else is wrong with the first batch that doesn't fit.
	wrong string
	// committed counts the records that are visible to read_committed readers.
	committed uint64
}

func newOffsets(p *Partition) offsets { return offsets{next: max(0, p.Info.LogStart)} }

// take looks at the next batch; start is where the log starts: a batch may begin below it.
func (o *offsets) take(b *Batch, start int64) {
	first := max(b.First, start)
	switch {
	case o.next < 0:
	case first > o.next:
		o.hole(o.next, first)
	case b.First < o.next && b.First >= start:
		o.fault("offset %d comes after offset %d", b.First, o.next-1)
	}
	o.next = b.Last + 1
	switch {
	case b.Damaged:
		o.next = -1
	case !b.Control:
		o.records(b, first)
	}
}

// records compares a batch's records with the offsets that its header claims.
func (o *offsets) records(b *Batch, first int64) {
	if int64(b.Count) != b.Last-b.First+1 {
		o.fault("the batch at offset %d claims %d records, and its offsets are those of %d", b.First, b.Count, b.Last-b.First+1)
	}
	next := first
	for i := range b.Spans {
		at, n := b.Spans[i].First.Offset, b.Spans[i].Count
		switch {
		case at > next:
			o.hole(next, at)
		case at < next:
			o.fault("offset %d comes after offset %d", at, next-1)
		}
		next = at + n
		if b.Decided == txns.Visible {
			o.committed += uint64(n)
		}
	}
	switch {
	case next <= b.Last:
		o.hole(next, b.Last+1)
	case next > b.Last+1:
		o.fault("the batch at offset %d ends at offset %d, and holds a record at offset %d", b.First, b.Last, next-1)
	}
}

func (o *offsets) hole(from, to int64) {
	o.missing += uint64(to - from)
	if n := len(o.holes); n > 0 && o.holes[n-1].To == from {
		o.holes[n-1].To = to
		return
	}
	if len(o.holes) < maxHoles {
		o.holes = append(o.holes, Hole{from, to})
	}
}

func (o *offsets) fault(format string, args ...any) {
	if o.wrong == "" {
		o.wrong = fmt.Sprintf(format, args...)
	}
}

// followed is what reading the records of a partition's file came to. Trouble is a doubt, as it is with the headers.
func (p *Partition) followed(o *offsets, tail observation.Tail) {
	p.Holes, p.Missing = o.holes, o.missing
	if !tail.Ended {
		if p.Whole { // otherwise that is known from the headers
			p.doubt("its observation file can't be read to its end after %d batches: %s", tail.Batches, tail.Reason)
		}
		p.Whole = false
		return
	}
	if o.wrong != "" {
		p.doubt("its offsets contradict each other: %s", o.wrong)
	}
	if p.Whole && p.Info.Committed.Hash != "" && o.committed != p.Info.Committed.Count {
		p.doubt("the read-back counted %d committed records, its observation file holds %d", p.Info.Committed.Count, o.committed)
	}
}

// ReadAgain is an error where a further pass over a partition's file did not reach its end although the first one did: the
// file has changed. What the first pass could not read is a doubt already.
func (p *Partition) ReadAgain(tail observation.Tail) error {
	if tail.Ended || !p.Whole {
		return nil
	}
	return fmt.Errorf("%s can't be read to its end again: %s", p.Path, tail.Reason)
}
