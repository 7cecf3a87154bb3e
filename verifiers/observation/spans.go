package observation

import (
	"math"

	"github.com/chaeos/chaeos/harness/history"
)

// Span is neighbouring records of one batch that are alike: offsets go up by one, sequences, input offsets
// and processing ordinals by a constant each (modulo 2^64), and everything else is the same. Scheduled times are no part
// of it (they are 0): they jitter, and no check asks for them.
type Span struct {
	// First is the span's first record.
	First Record
	// Count is the number of records, at least 1.
	Count int64
	// The steps from one record to the next; 0 in a span of one.
	SequenceStep, ProcessingStep uint64
	OriginStep                   int64
}

// At returns the span's i-th record, from 0.
func (r *Span) At(i int64) Record {
	rec := r.First
	rec.Offset += i
	rec.Sequence += uint64(i) * r.SequenceStep
	rec.Origin.Offset += i * r.OriginStep
	rec.Processing += uint64(i) * r.ProcessingStep
	return rec
}

// difference is a number of equal steps of a column, as they are stored.
type difference struct {
	step  int64
	count int64
}

// lane walks one column: its value now, and the differences to come.
type lane struct {
	value int64
	ahead []difference
}

// advance moves on by n records that share a difference.
func (l *lane) advance(n int64) {
	d := &l.ahead[0]
	l.value += d.step * n
	if d.count -= n; d.count == 0 {
		l.ahead = l.ahead[1:]
	}
}

// The lanes, in the order of inputColumns and originColumns.
const (
	laneOffset = iota
	laneStatus
	laneSource
	laneSequence
	laneScheduled
	lanePartition
	laneOriginOffset
	laneWorker
	laneIncarnation
	laneProcessing
	laneTxn
	lanes
)

// spanDecoder keeps what decoding spans needs between batches.
type spanDecoder struct {
	differences []difference
	starts      [lanes + 1]int
	lanes       [lanes]lane
}

// read decodes a batch's n records into spans.
func (d *spanDecoder) read(body []byte, spans []Span, n int64, origin bool) ([]Span, error) {
	d.differences = d.differences[:0]
	used := len(inputColumns)
	if origin {
		used = lanes
	}
	var err error
	for i := range used {
		c := &inputColumns[min(i, len(inputColumns)-1)]
		if i >= len(inputColumns) {
			c = &originColumns[i-len(inputColumns)]
		}
		d.starts[i] = len(d.differences)
		if body, err = d.column(body, n, c); err != nil {
			return spans, err
		}
	}
	if len(body) != 0 {
		return spans, errMalformed
	}
	d.starts[used] = len(d.differences)
	for i := range used {
		d.lanes[i] = lane{ahead: d.differences[d.starts[i]:d.starts[i+1]]}
	}
	for left := n; left > 0; {
		spans = append(spans, d.next(origin))
		left -= spans[len(spans)-1].Count
	}
	return spans, nil
}

// column reads one column's differences and refuses values out of the column's bounds. A step that leaves the bounds of
// 64 bits would land outside of a bounded column's, too.
func (d *spanDecoder) column(b []byte, records int64, c *column) ([]byte, error) {
	bounded := c.low != math.MinInt64 || c.high != math.MaxInt64
	value := int64(0)
	for records > 0 {
		step, n := varint(b)
		if n <= 0 {
			return nil, errMalformed
		}
		b = b[n:]
		count, n := uvarint(b)
		if n <= 0 || count == 0 || count > uint64(records) {
			return nil, errMalformed
		}
		b = b[n:]
		times := int64(count)
		if bounded && !within(value+step, step, times-1, c) {
			return nil, errMalformed
		}
		value += step * times
		records -= times
		d.differences = append(d.differences, difference{step, times})
	}
	return b, nil
}

// within reports whether first and more values after it, a step apart, lie within a column's bounds.
func within(first, step, more int64, c *column) bool {
	switch {
	case first < c.low || first > c.high:
		return false
	case more == 0 || step == 0:
		return true
	case step > 0:
		return (c.high-first)/step >= more
	case step == math.MinInt64:
		return false
	}
	return (first-c.low)/-step >= more
}

// next takes one span off the lanes: one record, and those after it that differ by the same steps.
func (d *spanDecoder) next(origin bool) Span {
	used := len(inputColumns)
	if origin {
		used = lanes
	}
	more := int64(math.MaxInt64)
	for i := range used {
		l := &d.lanes[i]
		l.advance(1)
		switch {
		case i == laneScheduled:
		case len(l.ahead) == 0:
			more = 0
		case d.breaks(i, l.ahead[0].step):
			more = 0
		default:
			more = min(more, l.ahead[0].count)
		}
	}
	r := Span{First: d.record(origin), Count: 1 + more}
	if more > 0 {
		r.SequenceStep = uint64(d.lanes[laneSequence].ahead[0].step)
		if origin {
			r.OriginStep, r.ProcessingStep = d.lanes[laneOriginOffset].ahead[0].step, uint64(d.lanes[laneProcessing].ahead[0].step)
		}
		for i := range used {
			if i == laneScheduled {
				d.lanes[i].skip(more)
				continue
			}
			d.lanes[i].advance(more)
		}
	}
	return r
}

// skip moves on by n records, whatever their differences.
func (l *lane) skip(n int64) {
	for n > 0 {
		some := min(n, l.ahead[0].count)
		l.advance(some)
		n -= some
	}
}

// breaks means that a step in this lane can't be part of a span.
func (d *spanDecoder) breaks(i int, step int64) bool {
	switch i {
	case laneOffset:
		return step != 1
	case laneSequence, laneOriginOffset, laneProcessing:
		return false
	}
	return step != 0
}

func (d *spanDecoder) record(origin bool) Record {
	r := Record{
		Offset: d.lanes[laneOffset].value, Status: Status(d.lanes[laneStatus].value),
		Identity: history.Identity{Source: uint16(d.lanes[laneSource].value), Sequence: uint64(d.lanes[laneSequence].value)},
	}
	if origin {
		r.Origin = history.Origin{
			Partition: int32(d.lanes[lanePartition].value), Offset: d.lanes[laneOriginOffset].value,
			Worker: uint16(d.lanes[laneWorker].value), Incarnation: uint32(d.lanes[laneIncarnation].value),
			Processing: uint64(d.lanes[laneProcessing].value), Txn: uint64(d.lanes[laneTxn].value),
		}
	}
	return r
}
