package source

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// The two benchmarks are read as a ratio: a source (history, envelope, acknowledgements) against a bare kgo producer with
// the same client options and a value made once. The broker stores nothing, so that it isn't what is measured.

func BenchmarkSource(b *testing.B) {
	for _, size := range []int{100, 1024} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			l := newLonely(b, harness.Load{RecordSize: size}, uint64(b.N), Config{}, kfake.BlackholeProduce())
			b.SetBytes(int64(size))
			b.ResetTimer()
			require.NoError(b, l.run(b.Context()))
			b.StopTimer()
			require.Equal(b, uint64(b.N), l.counters().Acked)
		})
	}
}

func BenchmarkBareProducer(b *testing.B) {
	for _, size := range []int{100, 1024} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			l := newLonely(b, harness.Load{RecordSize: size}, uint64(b.N), Config{}, kfake.BlackholeProduce())
			b.Cleanup(l.close)
			value := history.AppendInput(nil, history.Input{}, size)
			b.SetBytes(int64(size))
			b.ResetTimer()
			for i := range b.N {
				l.source.kafka.Produce(b.Context(), &kgo.Record{Topic: "in", Partition: int32(i % partitions), Value: value}, func(_ *kgo.Record, err error) {
					if err != nil {
						panic(err)
					}
				})
			}
			require.NoError(b, l.source.kafka.Flush(b.Context()))
		})
	}
}
