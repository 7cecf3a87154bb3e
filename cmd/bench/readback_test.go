package bench

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// BenchmarkReadBack reports how fast a topic of three partitions is read back, with every check and saved, next to a bare
// kgo poll loop and the limit (raw Fetch, of each batch only its header): all three over the brokers' own ports, each
// a process of its own, in turn. One operation is one reading by each. The topic has one replica: comparing others, which reads
// each of them once more, is not in the figures.
func BenchmarkReadBack(b *testing.B) {
	r := newRig(b)
	for _, c := range []struct {
		name  string
		size  int
		count int64
		codec kgo.CompressionCodec
	}{
		{"100B", 100, 6_000_000, kgo.NoCompression()},
		{"1KiB", 1024, 900_000, kgo.NoCompression()},
		{"zstd", 100, 3_000_000, kgo.ZstdCompression()},
		{"snappy", 100, 3_000_000, kgo.SnappyCompression()},
	} {
		b.Run(c.name, func(b *testing.B) {
			asked := r.fill(b, "read-"+c.name, c.size, c.count, c.codec)
			r.compareReaders(b, asked)
			_, err := r.admin.DeleteTopic(b.Context(), asked.Topic)
			require.NoError(b, err)
		})
	}
}

// fill makes a topic with one replica and count sound records, and returns what its readers have to read.
func (r *rig) fill(b *testing.B, topic string, size int, count int64, codec kgo.CompressionCodec) reading {
	ctx := b.Context()
	_, err := r.admin.CreateTopic(ctx, partitions, 1, map[string]*string{"file.delete.delay.ms": kadm.StringPtr("0")}, topic)
	require.NoError(b, err)
	r.awaitWhole(ctx, b, topic, partitions)
	client, err := harness.DirectClient(r.cluster, "bench-fill", kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerBatchCompression(codec))
	require.NoError(b, err)
	defer client.Close()
	var failed atomic.Int64
	for i := range count {
		in := history.Input{Run: benchRun, Identity: history.Identity{Sequence: uint64(i)}, Scheduled: history.Now()}
		client.Produce(ctx, &kgo.Record{Topic: topic, Partition: int32(i % partitions), Value: history.AppendInput(nil, in, size)}, func(_ *kgo.Record, err error) {
			if err != nil {
				failed.Add(1)
			}
		})
	}
	require.NoError(b, client.Flush(ctx))
	require.Zero(b, failed.Load())
	asked := reading{Info: r.cluster.Info(), Direct: r.cluster.Direct(), Topic: topic, Ends: map[int32]int64{}}
	ends, err := r.admin.ListEndOffsets(ctx, topic)
	require.NoError(b, err)
	ends.Each(func(o kadm.ListedOffset) { asked.Ends[o.Partition] = o.Offset })
	require.Equal(b, count, total(asked.Ends))
	return asked
}

func (r *rig) compareReaders(b *testing.B, asked reading) {
	sides := []string{pollPart, limitPart, readBackPart}
	for _, side := range sides {
		r.readOnce(b, side, asked) // warms the brokers' page cache up
	}
	rates := map[string][]float64{}
	cpu := map[string][]float64{}
	var ratios, cpuRatios, ofLimit, peaks []float64
	for i := 0; b.Loop(); i++ {
		for _, side := range sides {
			said := r.readOnce(b, side, asked)
			rates[side] = append(rates[side], float64(said.Records)/said.Seconds)
			cpu[side] = append(cpu[side], said.CPUSeconds/float64(said.Records))
			if side == readBackPart {
				peaks = append(peaks, float64(said.PeakKiB)/1024)
			}
		}
		slices.Reverse(sides)
		ratios = append(ratios, rates[readBackPart][i]/rates[pollPart][i])
		cpuRatios = append(cpuRatios, cpu[pollPart][i]/cpu[readBackPart][i])
		ofLimit = append(ofLimit, rates[readBackPart][i]/rates[limitPart][i])
	}
	b.ReportMetric(median(ratios), "ratio")
	b.ReportMetric(slices.Min(ratios), "ratio-min")
	b.ReportMetric(slices.Max(ratios), "ratio-max")
	b.ReportMetric(median(cpuRatios), "cpu-ratio")
	b.ReportMetric(median(ofLimit), "of-limit")
	b.ReportMetric(median(rates[readBackPart]), "records/s")
	b.ReportMetric(median(rates[pollPart]), "poll-records/s")
	b.ReportMetric(median(rates[limitPart]), "limit-records/s")
	b.ReportMetric(median(peaks), "MiB-peak")
	b.ReportMetric(0, "ns/op") // says nothing: three readings
}

// readOnce lets a process read the topic, and makes sure that it read everything.
func (r *rig) readOnce(b *testing.B, side string, asked reading) (said read) {
	asked.Dir = b.TempDir()
	child(b, side, asked, &said)
	require.Equal(b, total(asked.Ends), said.Records, side)
	if side == readBackPart {
		requireReadBack(b, asked)
	}
	return said
}

// requireReadBack: a read-back that left something out, or found something wrong, would be fast for nothing.
func requireReadBack(b *testing.B, asked reading) {
	index, err := observation.LoadIndex(asked.Dir)
	require.NoError(b, err)
	require.True(b, index.Finished, index.Failures)
	for p, end := range asked.Ends {
		x := index.Partition(asked.Topic, p)
		require.True(b, x.Complete, x.Failure)
		require.Empty(b, x.ClientErr)
		require.EqualValues(b, end, x.Records)
		for _, r := range x.Checked {
			require.Equal(b, r.Committed, r.Client, fmt.Sprint(r))
		}
		if len(x.Checked) == 0 {
			require.Equal(b, x.Committed, x.Client)
		}
	}
}
