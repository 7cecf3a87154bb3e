package readback

import (
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// Sizes in a version 2 record batch (Kafka documentation, "Record Batch").
const (
	batchHeader = 61
	lengthFrom  = 12 // the length counts what follows it
	crcFrom     = 21 // the CRC covers what follows it
)

// Bits of a batch's attributes.
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
	// start is where the log starts: deleting moves it into the middle of a batch, and no consumer gets what is below.
	start int64
	batch observation.Batch
	// take gets every batch. Before that, see gets each record's value, where it is set.
	take func(*observation.Batch) error
	see  func(offset int64, value []byte, err error)
	// decompressor writes every batch to the same buffer.
	decompressor kgo.Decompressor
	value        history.Output
	buffer       []byte
	// fingerprint is what replicas of the log are compared by.
	fingerprint fingerprint
}

// GetDecompressBytes implements kgo.PoolDecompressBytes.
func (w *walker) GetDecompressBytes([]byte, kgo.CompressionCodecType) []byte { return w.buffer }

// PutDecompressBytes implements kgo.PoolDecompressBytes.
func (w *walker) PutDecompressBytes([]byte) {}

// decompress returns a batch's records, which are valid until the next call.
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

// done reports whether the end is reached.
func (w *walker) done() bool { return w.next >= w.end }

// header reads the header of the batch that raw begins with into b, and returns the size of the whole batch. The fields are
// kmsg's, but not its ReadFrom: with a function call for each field, walking batches of one record takes 15 % longer.
func header(raw []byte, b *kmsg.RecordBatch) (size int64, err error) {
	raw = raw[:batchHeader]
	b.FirstOffset = int64(binary.BigEndian.Uint64(raw))
	b.Length = int32(binary.BigEndian.Uint32(raw[8:]))
	b.PartitionLeaderEpoch = int32(binary.BigEndian.Uint32(raw[12:]))
	b.Magic = int8(raw[16])
	b.CRC = int32(binary.BigEndian.Uint32(raw[17:]))
	b.Attributes = int16(binary.BigEndian.Uint16(raw[crcFrom:]))
	b.LastOffsetDelta = int32(binary.BigEndian.Uint32(raw[23:]))
	b.FirstTimestamp = int64(binary.BigEndian.Uint64(raw[27:]))
	b.MaxTimestamp = int64(binary.BigEndian.Uint64(raw[35:]))
	b.ProducerID = int64(binary.BigEndian.Uint64(raw[43:]))
	b.ProducerEpoch = int16(binary.BigEndian.Uint16(raw[51:]))
	b.FirstSequence = int32(binary.BigEndian.Uint32(raw[53:]))
	b.NumRecords = int32(binary.BigEndian.Uint32(raw[57:]))
	if size = lengthFrom + int64(b.Length); size < batchHeader {
		return 0, errBatch
	}
	return size, nil
}

// lastOffset is the last offset that a batch covers.
func lastOffset(b *kmsg.RecordBatch) int64 { return b.FirstOffset + int64(b.LastOffsetDelta) }

// walk takes the whole batches in raw. One that is cut off at the end is left for the next fetch.
func (w *walker) walk(raw []byte) error {
	var b kmsg.RecordBatch
	for len(raw) >= batchHeader && !w.done() {
		size, err := header(raw, &b)
		if err != nil {
			return err
		}
		if size > int64(len(raw)) {
			return nil
		}
		one := raw[:size]
		raw = raw[size:]
		if lastOffset(&b) < w.next {
			continue // a fetch from inside a batch begins with the whole batch
		}
		w.parse(&b, one)
		w.next = lastOffset(&b) + 1
		if err := w.take(&w.batch); err != nil {
			return err
		}
	}
	return nil
}

// parse makes a batch, of which raw is all, the walker's.
func (w *walker) parse(header *kmsg.RecordBatch, raw []byte) {
	b := &w.batch
	*b = observation.Batch{
		CoordinatorEpoch: -1,
		First:            header.FirstOffset,
		Last:             lastOffset(header),
		ProducerID:       header.ProducerID,
		ProducerEpoch:    header.ProducerEpoch,
		BaseSequence:     header.FirstSequence,
		LeaderEpoch:      header.PartitionLeaderEpoch,
		MaxTimestamp:     header.MaxTimestamp,
		Transactional:    header.Attributes&transactionalBit != 0,
		Control:          header.Attributes&controlBit != 0,
		Count:            max(0, header.NumRecords),
		Bytes:            int32(len(raw)),
		Records:          b.Records[:0],
	}
	sum := contentSum(raw)
	w.fingerprint.add(header, sum)
	if header.Magic != 2 || sum != uint32(header.CRC) {
		b.Damaged = true
		return
	}
	records, err := w.decompress(raw[batchHeader:], kgo.CompressionCodecType(header.Attributes&compressionBits))
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

// record reads one record's offset, key and value: attributes, timestamp delta, offset delta, key, value, headers. It is done
// for every record, and so not by kmsg, which reads the headers too and makes a list of them.
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

// marker reads a control record's key.
func marker(key []byte) observation.Marker {
	var k kmsg.ControlRecordKey
	if k.ReadFrom(key) != nil {
		return observation.MarkerOther
	}
	switch k.Type {
	case kmsg.ControlRecordKeyTypeAbort:
		return observation.MarkerAbort
	case kmsg.ControlRecordKeyTypeCommit:
		return observation.MarkerCommit
	default:
		return observation.MarkerOther
	}
}

// coordinatorEpoch reads a control record's value: the epoch of the coordinator that wrote it, -1 where there is none.
func coordinatorEpoch(value []byte) int32 {
	var m kmsg.EndTxnMarker
	if m.ReadFrom(value) != nil {
		return -1
	}
	return m.CoordinatorEpoch
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
