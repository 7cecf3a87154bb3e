package readback

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
)

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

// BenchmarkWalkTransactions walks transactions of one record each: two batches a record.
func BenchmarkWalkTransactions(b *testing.B) {
	value := history.AppendInput(nil, history.Input{Run: runID}, 100)
	raw := wire(kmsg.RecordBatch{Attributes: transactionalBit, ProducerID: 7, NumRecords: 1, Records: record(0, 0, nil, value)})
	second := len(raw)
	raw = append(raw, markerBatch(1, 7, kmsg.ControlRecordKeyTypeCommit, 3)...)
	out, err := observation.Create(filepath.Join(b.TempDir(), "x.obs"), observation.Header{Run: runID})
	require.NoError(b, err)
	p := observation.Partition{HW: 1 << 60, LSO: 1 << 60}
	w := newPartitionWalker(runID, &p, out, defaultSampling.segment)
	records := 0
	b.ReportAllocs()
	for b.Loop() {
		binary.BigEndian.PutUint64(raw, uint64(2*records))
		binary.BigEndian.PutUint64(raw[second:], uint64(2*records+1))
		require.NoError(b, w.walk(raw))
		records++
	}
	require.Equal(b, observation.MarkerCommit, w.batch.Marker)
	b.ReportMetric(float64(records)/b.Elapsed().Seconds(), "records/s")
}
