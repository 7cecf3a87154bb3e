package checks

import (
	"fmt"
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/saved"
	"github.com/chaeos/chaeos/verifiers/words"
)

// checkLatency reads the live reader's histograms. Inputs that it never got count as infinite: a percentile that falls
// among them is not given, and the note says why.
func checkLatency(e *Facts, n *harness.Numbers) []Finding {
	var shown uint64
	for p := range e.OutputPartitions() {
		shown += e.Meter(int32(p)).Shown
	}
	if !e.Run.Live.Recorded {
		return nil
	}
	n.NeverLive = e.InputCount - min(e.InputCount, shown)
	h, err := loadLatencies(e.Run.Live.Latency[e.Layout.Name])
	if err != nil {
		return note("latencies can't be read: %v", err)
	}
	if h == nil || h.TotalCount() == 0 {
		return nil
	}
	n.P50, n.P99 = percentile(h, n.NeverLive, 0.50), percentile(h, n.NeverLive, 0.99)
	if n.P99 == nil {
		return note("the 99th percentile is infinite: %s inputs never reached the live reader", words.Number(n.NeverLive))
	}
	return nil
}

// loadLatencies decodes a pipeline's latencies since the load began: the last histogram less the last one from before.
func loadLatencies(l saved.Latencies) (*hdrhistogram.Histogram, error) {
	if l.Last == nil {
		return nil, nil
	}
	last, err := hdrhistogram.Decode(l.Last)
	if err != nil {
		return nil, fmt.Errorf("histogram: %w", err)
	}
	if l.Warm == nil {
		return last, nil
	}
	warm, err := hdrhistogram.Decode(l.Warm)
	if err != nil {
		return nil, fmt.Errorf("histogram: %w", err)
	}
	a, b := last.Export(), warm.Export()
	for i := range min(len(a.Counts), len(b.Counts)) {
		a.Counts[i] -= min(a.Counts[i], b.Counts[i])
	}
	return hdrhistogram.Import(a), nil
}

// percentile is the q-quantile with never further values of infinity; nil is infinity.
func percentile(h *hdrhistogram.Histogram, never uint64, q float64) *time.Duration {
	total := uint64(h.TotalCount())
	rank := uint64(math.Ceil(q * float64(total+never)))
	if rank > total {
		return nil
	}
	return new(time.Duration(h.ValueAtQuantile(100 * float64(rank) / float64(total))))
}
