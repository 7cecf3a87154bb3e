package observation

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/chaeos/chaeos/harness/frame"
	"github.com/chaeos/chaeos/harness/history"
)

// Version is the on-disk version of observation files. Version 1 lacks a batch's size and a marker's coordinator epoch;
// it is still read.
const (
	Version = 2
	oldest  = 1
)

// format is how observation files look. The buffer holds many frames of ordinary batches.
var format = frame.Format{Magic: "chaeosO", Length: frame.Fixed, Most: 1 << 28, Buffer: 256 << 10}

// maxRecords bounds a batch's records: a run of a constant difference costs a few bytes whatever its length.
const maxRecords = 1 << 21

const (
	kindHeader = 1
	kindBatch  = 2
	kindEnd    = 3
)

const (
	flagTransactional = 1 << iota
	flagControl
	flagDamaged
	flagOrigin
	// flagExtent: the batch's size and its marker's coordinator epoch follow its count.
	flagExtent
	allFlags = flagTransactional | flagControl | flagDamaged | flagOrigin | flagExtent
)

func appendHeader(dst []byte, h Header) []byte {
	dst = append(dst, kindHeader)
	dst = binary.AppendUvarint(dst, uint64(h.Run))
	dst = binary.AppendVarint(dst, int64(h.Partition))
	return append(dst, h.Topic...)
}

func readHeader(b []byte) (h Header, err error) {
	d := decoder{b: b}
	h.Run, h.Partition = history.RunID(d.uint()), int32(d.int(math.MinInt32, math.MaxInt32))
	h.Topic = string(d.b)
	return h, d.err()
}

// appendBatch uses scratch, which grows, to take columns apart.
func appendBatch(dst []byte, b *Batch, scratch *[]int64) []byte {
	flags := flagsOf(b)
	dst = append(dst, kindBatch, flags, byte(b.Marker))
	dst = binary.AppendVarint(dst, b.First)
	dst = binary.AppendVarint(dst, b.Last-b.First)
	dst = binary.AppendVarint(dst, b.ProducerID)
	dst = binary.AppendVarint(dst, int64(b.ProducerEpoch))
	dst = binary.AppendVarint(dst, int64(b.BaseSequence))
	dst = binary.AppendVarint(dst, int64(b.LeaderEpoch))
	dst = binary.AppendVarint(dst, b.MaxTimestamp)
	dst = binary.AppendVarint(dst, int64(b.Count))
	dst = binary.AppendVarint(dst, int64(b.Bytes))
	dst = binary.AppendVarint(dst, int64(b.CoordinatorEpoch))
	dst = binary.AppendUvarint(dst, uint64(len(b.Records)))
	*scratch = slices.Grow((*scratch)[:0], len(b.Records))[:len(b.Records)]
	dst = appendColumns(dst, b.Records, inputColumns, *scratch)
	if flags&flagOrigin != 0 {
		dst = appendColumns(dst, b.Records, originColumns, *scratch)
	}
	return dst
}

func appendColumns(dst []byte, rs []Record, columns []column, scratch []int64) []byte {
	for i := range columns {
		columns[i].get(rs, scratch)
		dst = appendColumn(dst, scratch)
	}
	return dst
}

func flagsOf(b *Batch) (f byte) {
	f = flagExtent
	set := func(on bool, flag byte) {
		if on {
			f |= flag
		}
	}
	set(b.Transactional, flagTransactional)
	set(b.Control, flagControl)
	set(b.Damaged, flagDamaged)
	set(hasOrigin(b.Records), flagOrigin)
	return f
}

func hasOrigin(rs []Record) bool {
	for i := range rs {
		if rs[i].Status == Output {
			return true
		}
	}
	return false
}

// uvarint and varint are binary's, with a short way for the single bytes that most numbers take.
func uvarint(b []byte) (uint64, int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	return binary.Uvarint(b)
}

func varint(b []byte) (int64, int) {
	x, n := uvarint(b)
	return int64(x>>1) ^ -int64(x&1), n
}

// decoder reads numbers and remembers whether one was malformed.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) uint() uint64 {
	v, n := uvarint(d.b)
	d.advance(n)
	return v
}

func (d *decoder) int(low, high int64) int64 {
	v, n := varint(d.b)
	d.advance(n)
	d.bad = d.bad || v < low || v > high
	return v
}

func (d *decoder) advance(n int) {
	if n <= 0 {
		d.bad, d.b = true, nil
		return
	}
	d.b = d.b[n:]
}

func (d *decoder) err() error {
	if d.bad {
		return errMalformed
	}
	return nil
}

// form is how a reader gives a batch's records.
type form uint8

const (
	asRecords form = iota
	asSpans
	headersOnly
)

// batchDecoder keeps what decoding batches needs between them.
type batchDecoder struct {
	form    form
	scratch []int64
	spans   spanDecoder
}

// read decodes a batch's body after its kind, and returns how many records it holds.
func (x *batchDecoder) read(body []byte, b *Batch) (records uint64, err error) {
	if len(body) < 2 || body[0]&^allFlags != 0 || body[1] > byte(MarkerOther) {
		return 0, errMalformed
	}
	flags := body[0]
	d := decoder{b: body[2:]}
	kept, spans := b.Records[:0], b.Spans[:0]
	*b = Batch{Marker: Marker(body[1]), Transactional: flags&flagTransactional != 0, Control: flags&flagControl != 0, Damaged: flags&flagDamaged != 0}
	b.First = d.int(0, math.MaxInt64)
	b.Last = b.First + d.int(0, math.MaxInt32)
	b.ProducerID = d.int(math.MinInt64, math.MaxInt64)
	b.ProducerEpoch = int16(d.int(math.MinInt16, math.MaxInt16))
	b.BaseSequence = int32(d.int(math.MinInt32, math.MaxInt32))
	b.LeaderEpoch = int32(d.int(math.MinInt32, math.MaxInt32))
	b.MaxTimestamp = d.int(math.MinInt64, math.MaxInt64)
	b.Count = int32(d.int(0, math.MaxInt32))
	b.CoordinatorEpoch = -1
	if flags&flagExtent != 0 {
		b.Bytes = int32(d.int(0, math.MaxInt32))
		b.CoordinatorEpoch = int32(d.int(math.MinInt32, math.MaxInt32))
	}
	n := d.uint()
	if d.bad || n > maxRecords || b.Last < b.First {
		return 0, errMalformed
	}
	b.Records, b.Spans = kept, spans
	switch origin := flags&flagOrigin != 0; x.form {
	case asSpans:
		b.Spans, err = x.spans.read(d.b, b.Spans, int64(n), origin)
	case asRecords:
		err = readRecords(d.b, b, int(n), &x.scratch, origin)
	}
	return n, err
}

func readRecords(body []byte, b *Batch, n int, scratch *[]int64, origin bool) error {
	if cap(b.Records) < n {
		b.Records = make([]Record, n)
	}
	b.Records = b.Records[:n]
	clear(b.Records)
	if cap(*scratch) < n {
		*scratch = make([]int64, n)
	}
	values := (*scratch)[:n]
	columns := [][]column{inputColumns}
	if origin {
		columns = append(columns, originColumns)
	}
	for _, group := range columns {
		for _, c := range group {
			rest, err := readColumn(body, values, c)
			if err != nil {
				return err
			}
			c.set(b.Records, values)
			body = rest
		}
	}
	if len(body) != 0 {
		return errMalformed
	}
	return nil
}
