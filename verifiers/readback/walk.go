package readback

import (
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// Offsets of a version 2 record batch's fields (Kafka documentation, "Record Batch").
const (
	atLength       = 8
	atLeaderEpoch  = 12
	atMagic        = 16
	atCRC          = 17
	atAttributes   = 21
	atLastDelta    = 23
	atMaxTimestamp = 35
	atProducerID   = 43
	atEpoch        = 51
	atBaseSequence = 53
	atCount        = 57
	batchHeader    = 61
	lengthFrom     = 12 // the length field counts what follows it
)

const (
	compressionBits  = 0x07
	transactionalBit = 0x10
	controlBit       = 0x20
)

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	errBatch   = errors.New("malformed record batch")
)

// walker goes through raw batches in log order, from next up to end, across any number of fetches.
type walker struct {
	run       history.RunID
	next, end int64
	// start is where the log starts: deleting moves it into the middle of a batch, and no consumer is given what is below.
	start int64
	batch observation.Batch
	// take gets every batch; each record's value is shown to see, when set, before that.
	take func(*observation.Batch) error
	see  func(offset int64, value []byte, err error)
	// decompressor writes every batch to the same buffer.
	decompressor kgo.Decompressor
	value        history.Output
	buffer       []byte
}

// GetDecompressBytes implements kgo.PoolDecompressBytes.
func (w *walker) GetDecompressBytes([]byte, kgo.CompressionCodecType) []byte { return w.buffer }

// PutDecompressBytes implements kgo.PoolDecompressBytes.
func (w *walker) PutDecompressBytes([]byte) {}

// decompress returns a batch's records, which stand until the next call.
func (w *walker) decompress(raw []byte, codec kgo.CompressionCodecType) ([]byte, error) {
	if codec == kgo.CodecNone {
		return raw, nil
	}
	if w.decompressor == nil {
		w.decompressor = kgo.DefaultDecompressor(w)
	}
	records, err := w.decompressor.Decompress(raw, codec)
	if cap(records) > cap(w.buffer) {
		w.buffer = records[:0]
	}
	return records, err
}

// done says that the end is reached.
func (w *walker) done() bool { return w.next >= w.end }

// walk takes the whole batches in raw; a cut one at the end is left for the next fetch.
func (w *walker) walk(raw []byte) error {
	for len(raw) >= batchHeader && !w.done() {
		size, last, err := extent(raw)
		if err != nil {
			return err
		}
		if size > int64(len(raw)) {
			return nil
		}
		one := raw[:size]
		raw = raw[size:]
		if last < w.next {
			continue // a fetch from inside a batch begins with the whole batch
		}
		w.parse(one)
		w.next = last + 1
		if err := w.take(&w.batch); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) parse(raw []byte) {
	b := &w.batch
	attributes := binary.BigEndian.Uint16(raw[atAttributes:])
	first := int64(binary.BigEndian.Uint64(raw))
	*b = observation.Batch{
		CoordinatorEpoch: -1,
		First:            first,
		Last:             first + int64(int32(binary.BigEndian.Uint32(raw[atLastDelta:]))),
		ProducerID:       int64(binary.BigEndian.Uint64(raw[atProducerID:])),
		ProducerEpoch:    int16(binary.BigEndian.Uint16(raw[atEpoch:])),
		BaseSequence:     int32(binary.BigEndian.Uint32(raw[atBaseSequence:])),
		LeaderEpoch:      int32(binary.BigEndian.Uint32(raw[atLeaderEpoch:])),
		MaxTimestamp:     int64(binary.BigEndian.Uint64(raw[atMaxTimestamp:])),
		Transactional:    attributes&transactionalBit != 0,
		Control:          attributes&controlBit != 0,
		Count:            max(0, int32(binary.BigEndian.Uint32(raw[atCount:]))),
		Bytes:            int32(len(raw)),
		Records:          b.Records[:0],
	}
	if raw[atMagic] != 2 || crc32.Checksum(raw[atAttributes:], castagnoli) != binary.BigEndian.Uint32(raw[atCRC:]) {
		b.Damaged = true
		return
	}
	records, err := w.decompress(raw[batchHeader:], kgo.CompressionCodecType(attributes&compressionBits))
	if err == nil {
		err = w.records(records)
	}
	if err != nil {
		b.Damaged = true
		b.Records = b.Records[:0]
	}
}

func (w *walker) records(rest []byte) error {
	for range w.batch.Count {
		size, n := binary.Varint(rest)
		if n <= 0 || size < 0 || size > int64(len(rest)-n) {
			return errBatch
		}
		if err := w.record(rest[n : n+int(size)]); err != nil {
			return err
		}
		rest = rest[n+int(size):]
	}
	if len(rest) != 0 {
		return errBatch
	}
	return nil
}

// record reads one record's offset, key and value: attributes, timestamp delta, offset delta, key, value, headers.
func (w *walker) record(raw []byte) error {
	if len(raw) == 0 {
		return errBatch
	}
	raw = raw[1:]
	_, n := binary.Varint(raw)
	if n <= 0 {
		return errBatch
	}
	raw = raw[n:]
	delta, n := binary.Varint(raw)
	if n <= 0 {
		return errBatch
	}
	key, raw, ok := field(raw[n:])
	if !ok {
		return errBatch
	}
	value, _, ok := field(raw)
	if !ok {
		return errBatch
	}
	offset := w.batch.First + delta
	if w.batch.Control {
		w.batch.Marker, w.batch.CoordinatorEpoch = marker(key), coordinatorEpoch(value)
		return nil
	}
	if offset < w.start {
		return nil
	}
	isOutput, err := history.DecodeInto(value, &w.value)
	if w.see != nil {
		w.see(offset, value, err)
	}
	w.keep(offset, isOutput, err)
	return nil
}

// field reads a length (-1: null) and that many bytes.
func field(raw []byte) (value, rest []byte, ok bool) {
	size, n := binary.Varint(raw)
	if n <= 0 || size > int64(len(raw)-n) {
		return nil, nil, false
	}
	raw = raw[n:]
	if size < 0 {
		return nil, raw, true
	}
	return raw[:size], raw[size:], true
}

// marker reads a control record's key: version, type.
func marker(key []byte) observation.Marker {
	if len(key) < 4 {
		return observation.MarkerOther
	}
	switch binary.BigEndian.Uint16(key[2:]) {
	case 0:
		return observation.MarkerAbort
	case 1:
		return observation.MarkerCommit
	}
	return observation.MarkerOther
}

// coordinatorEpoch reads a control record's value: version, epoch of the coordinator that wrote it.
func coordinatorEpoch(value []byte) int32 {
	if len(value) < 6 {
		return -1
	}
	return int32(binary.BigEndian.Uint32(value[2:]))
}

// keep appends what is kept of the record whose value was just decoded.
func (w *walker) keep(offset int64, isOutput bool, err error) {
	w.batch.Records = append(w.batch.Records, observation.Record{Offset: offset})
	rec := &w.batch.Records[len(w.batch.Records)-1]
	switch {
	case err == history.ErrCorrupt: //nolint:errorlint // DecodeInto returns its errors bare, and this is done for every record
		rec.Status = observation.Corrupt
	case err != nil || w.value.Run != w.run:
		rec.Status = observation.Foreign
	case isOutput:
		rec.Status, rec.Identity, rec.Scheduled, rec.Origin = observation.Output, w.value.Identity, w.value.Scheduled, w.value.Origin
	default:
		rec.Identity, rec.Scheduled = w.value.Identity, w.value.Scheduled
	}
}
