package readback

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/history"
)

// wire is a batch as brokers send it, with the right length and CRC.
func wire(b kmsg.RecordBatch) []byte {
	b.Magic = 2
	b.Length = int32(batchHeader - lengthFrom + len(b.Records))
	return seal(b.AppendTo(nil))
}

// seal corrects a batch's CRC.
func seal(raw []byte) []byte {
	b := kmsg.NewRecordBatch()
	_ = b.ReadFrom(raw)
	b.CRC = int32(crc32.Checksum(raw[len(raw)-crcSize(b):], castagnoli))
	copy(raw, b.AppendTo(nil))
	return raw
}

// crcSize is how many bytes of a batch its CRC covers: those from the attributes on.
func crcSize(b kmsg.RecordBatch) int { return int(b.Length) + lengthFrom - crcFrom }

// record is one record in a batch, without a key where that is nil.
func record(timestampDelta, offsetDelta int64, key, value []byte) []byte {
	rec := append([]byte{0}, binary.AppendVarint(nil, timestampDelta)...)
	rec = binary.AppendVarint(rec, offsetDelta)
	for _, field := range [][]byte{key, value} {
		if field == nil {
			rec = binary.AppendVarint(rec, -1)
			continue
		}
		rec = append(binary.AppendVarint(rec, int64(len(field))), field...)
	}
	rec = append(rec, 0) // no headers
	return append(binary.AppendVarint(nil, int64(len(rec))), rec...)
}

// rawBatch is an uncompressed batch with one sound record.
func rawBatch(first int64) []byte {
	value := history.AppendInput(nil, history.Input{Run: runID}, 80)
	return wire(kmsg.RecordBatch{FirstOffset: first, NumRecords: 1, Records: record(0, 0, nil, value)})
}

// fullBatch is a batch of n sound records of a size, compressed or not.
func fullBatch(t testing.TB, n, size int, codec kgo.CompressionCodec) []byte {
	var records []byte
	for i := range n {
		in := history.Input{Run: runID, Identity: history.Identity{Sequence: uint64(3 * i)}, Scheduled: history.Time(1000 * i)}
		records = append(records, record(int64(i/10), int64(i), nil, history.AppendInput(nil, in, size))...)
	}
	b := kmsg.RecordBatch{LastOffsetDelta: int32(n - 1), NumRecords: int32(n), Records: records}
	compressor, err := kgo.DefaultCompressor(codec)
	require.NoError(t, err)
	if compressor != nil {
		packed, kind := compressor.Compress(new(bytes.Buffer), records)
		b.Attributes, b.Records = int16(kind), packed
	}
	return wire(b)
}

// marker is the batch of a transaction's end.
func markerBatch(first, producer int64, kind kmsg.ControlRecordKeyType, coordinatorEpoch int32) []byte {
	key := kmsg.ControlRecordKey{Type: kind}
	value := kmsg.EndTxnMarker{CoordinatorEpoch: coordinatorEpoch}
	return wire(kmsg.RecordBatch{
		FirstOffset: first, Attributes: transactionalBit | controlBit, ProducerID: producer, NumRecords: 1,
		Records: record(0, 0, key.AppendTo(nil), value.AppendTo(nil)),
	})
}
