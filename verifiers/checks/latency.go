package checks

import (
	"fmt"
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/saved"
	"github.com/chaeos/chaeos/verifiers/words"
)

var latency = kit.Check{
	Name:    "latency",
	About:   "reads the live reader's latencies; inputs that it was never delivered count as infinite",
	Control: "a tail that is not delivered live",
	Numbers: []harness.Number{
		{
			Key: "p50", Header: "P50 E2E", Kind: harness.Duration, Show: harness.DataOnly, Absent: harness.Null, Measure: true,
			Means: "The median time from a record's scheduled send time to the first delivery of its output to the live `read_committed`\n" +
				"reader. An input that was not delivered live counts as infinite.",
			Unseen: "the reader's own delay of up to 250 ms when nothing else is new.",
		},
		{
			Key: "p99", Header: "P99 E2E", Kind: harness.Duration, Absent: harness.Null, Text: p99Text, Worst: true, Measure: true,
			Means:  "The 99th percentile of the same; `∞` if it falls among the inputs that were not delivered live.",
			Unseen: "see P50.",
		},
		{
			Key: "neverLive", Header: "NOT DELIVERED LIVE", Show: harness.WhenNonZero,
			Means:  "Inputs whose output was not delivered live: the live reader never got it. Outputs that are not due do not make up for them.",
			Unseen: "why: lost, hidden and late all count.",
		},
	},
	Begin: func(s *rows.Subject) kit.Counting { return &latencyCount{kit.NewUndue(s)} },
}

// p99Text tells an infinite latency from one that was not observed: a percentile that falls among the inputs that the live
// reader was never delivered has no value, and they are more than one in a hundred.
func p99Text(n harness.Numbers, format func(any) string) string {
	if n.Value("p99") == nil && n.Count("neverLive") > n.Count("input")/100 {
		return "∞"
	}
	return format(n.Value("p99"))
}

type latencyCount struct{ *kit.Undue }

// Finish implements Counting.
func (c *latencyCount) Finish(f *kit.Facts, n *harness.Numbers) []kit.Finding {
	if !f.Run.Live.Recorded {
		return nil
	}
	var shown uint64
	for p := range int32(f.OutputPartitions()) {
		shown += f.Meter(p).Shown
	}
	shown -= min(shown, c.Undue.Delivered())
	never := f.InputCount - min(f.InputCount, shown)
	n.Set("neverLive", never)
	h, err := loadLatencies(f.Run.Live.Latency[f.Layout.Name])
	if err != nil {
		return kit.Note("latencies can't be read: %v", err)
	}
	if h == nil || h.TotalCount() == 0 {
		return nil
	}
	percentile(n, "p50", h, never, 0.50)
	percentile(n, "p99", h, never, 0.99)
	if n.Value("p99") == nil {
		return kit.Note("the 99th percentile is infinite: %s inputs never reached the live reader", words.Number(never))
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

// percentile sets the q-quantile with never further values of infinity; one that is infinite has no value.
func percentile(n *harness.Numbers, key string, h *hdrhistogram.Histogram, never uint64, q float64) {
	total := uint64(h.TotalCount())
	rank := uint64(math.Ceil(q * float64(total+never)))
	if rank <= total {
		n.Set(key, time.Duration(h.ValueAtQuantile(100*float64(rank)/float64(total))))
	}
}
