package local

import (
	"encoding/json"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/clusters/scratch"
	"github.com/chaeos/chaeos/harness"
)

// startBare runs the same three brokers from the same plan without keeper and proxies, and returns the time to ready.
func startBare(b *testing.B, p plan) time.Duration {
	begin := time.Now()
	k := &keeper{plan: p, events: json.NewEncoder(io.Discard)}
	defer func() { require.NoError(b, k.teardown()) }()
	ctx := within(b, p.ReadyWithin)
	var err error
	k.folder, err = scratch.Make(ctx, p.RuntimeRoot, clusterKind)
	require.NoError(b, err)
	l, reservation, err := reserve(p.Topology)
	require.NoError(b, err)
	defer reservation.Close()
	k.layout = l
	require.NoError(b, k.startNodes(ctx, true))
	require.NoError(b, k.awaitReady(ctx))
	return time.Since(begin)
}

// BenchmarkReady reports the time from Start to ready with a warm cache, that of the bare brokers, and their ratio. The
// two alternate, so that a machine that slows down slows both.
func BenchmarkReady(b *testing.B) {
	p := testProvider()
	spec := harness.ClusterSpec{LogDir: b.TempDir()}
	warm, err := p.plan(within(b, 3*time.Minute), spec, func(string) {})
	require.NoError(b, err)
	var full, bare time.Duration
	for b.Loop() {
		begin := time.Now()
		c, err := p.Start(within(b, time.Minute), spec)
		full += time.Since(begin)
		require.NoError(b, err)
		require.NoError(b, c.Close(within(b, time.Minute)))
		bare += startBare(b, warm)
	}
	b.ReportMetric(full.Seconds()/float64(b.N), "s/ready")
	b.ReportMetric(bare.Seconds()/float64(b.N), "s/bare")
	b.ReportMetric(full.Seconds()/bare.Seconds(), "ratio")
}
