package readback

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// fullBatch makes a batch of n sound records of a size, compressed or not.
func fullBatch(t testing.TB, n, size int, codec kgo.CompressionCodec) []byte {
	var records []byte
	for i := range n {
		value := history.AppendInput(nil, history.Input{Run: runID, Identity: history.Identity{Sequence: uint64(3 * i)}, Scheduled: history.Time(1000 * i)}, size)
		rec := append([]byte{0}, binary.AppendVarint(nil, int64(i/10))...)
		rec = binary.AppendVarint(rec, int64(i))
		rec = append(rec, 1) // null key
		rec = append(append(binary.AppendVarint(rec, int64(len(value))), value...), 0)
		records = append(binary.AppendVarint(records, int64(len(rec))), rec...)
	}
	body := make([]byte, batchHeader)
	compressor, err := kgo.DefaultCompressor(codec)
	require.NoError(t, err)
	if compressor != nil {
		packed, kind := compressor.Compress(new(bytes.Buffer), records)
		body[atAttributes+1] = byte(kind)
		records = append([]byte(nil), packed...)
	}
	body = append(body, records...)
	binary.BigEndian.PutUint32(body[atLength:], uint32(len(body)-lengthFrom))
	body[atMagic] = 2
	binary.BigEndian.PutUint32(body[atLastDelta:], uint32(n-1))
	binary.BigEndian.PutUint32(body[atCount:], uint32(n))
	seal(body)
	return body
}

func seal(batch []byte) {
	binary.BigEndian.PutUint32(batch[atCRC:], crc32.Checksum(batch[atAttributes:], castagnoli))
}

// BenchmarkWalk walks, checks, sums up and saves batches: all that a read-back does but for the network.
func BenchmarkWalk(b *testing.B) {
	const n = 500
	for name, codec := range map[string]kgo.CompressionCodec{"plain": kgo.NoCompression(), "lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression()} {
		for _, size := range []int{100, 1024} {
			b.Run(fmt.Sprintf("%s/%dB", name, size), func(b *testing.B) {
				raw := fullBatch(b, n, size, codec)
				out, err := observation.Create(filepath.Join(b.TempDir(), "x.obs"), observation.Header{Run: runID})
				require.NoError(b, err)
				p := observation.Partition{HW: 1 << 60, LSO: 1 << 60}
				w := newPartitionWalker(runID, &p, out, defaultSampling.segment)
				records := 0
				for b.Loop() {
					binary.BigEndian.PutUint64(raw, uint64(records)) // the first offset is no part of the CRC
					require.NoError(b, w.walk(raw))
					records += n
				}
				require.False(b, w.batch.Damaged)
				b.ReportMetric(float64(records)/b.Elapsed().Seconds(), "records/s")
			})
		}
	}
}
