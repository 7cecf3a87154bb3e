package verifiers

import (
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkJudge judges a saved run of three rows; records/s counts each source's records and each row's output once.
func BenchmarkJudge(b *testing.B) {
	for _, size := range []struct {
		name string
		n    uint64
	}{{"100k", 99_990}, {"1M", 999_990}} {
		b.Run(size.name, func(b *testing.B) {
			dir := newWorld(size.n).save(b)
			logs := uint64(4) * size.n
			runtime.GC() // the world is garbage now, and no part of what is measured
			b.ResetTimer()
			for range b.N {
				report, err := Judge(dir)
				require.NoError(b, err)
				require.Zero(b, report.Exit, report.Why)
			}
			b.ReportMetric(float64(logs)*float64(b.N)/b.Elapsed().Seconds(), "records/s")
			b.ReportMetric(float64(diskUse(b, dir))/float64(logs), "B/record")
		})
	}
}

func diskUse(b *testing.B, dir string) (n int64) {
	for _, sub := range []string{"readback", "history"} {
		files, err := os.ReadDir(dir + "/" + sub)
		require.NoError(b, err)
		for _, f := range files {
			info, err := f.Info()
			require.NoError(b, err)
			n += info.Size()
		}
	}
	return n
}
