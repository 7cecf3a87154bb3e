package page_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/results/page"
	_ "github.com/chaeos/chaeos/verifiers/checks" // declares the numbers
)

func p[T any](v T) *T { return &v }

// sample is a report and a timeline with everything a page can show.
func sample() (*harness.Report, *page.Timeline) {
	start := history.Time(1_000_000_000)
	r := &harness.Report{
		Version: 1, Run: "20260920T101500-leader-partition-7", Experiment: "leader-partition", Seed: 7,
		Started: time.Date(2026, 9, 20, 10, 15, 0, 0, time.UTC), Took: time.Minute, Provider: "local", Kafka: "4.3.1", Brokers: 3, MinISR: 2,
		LoadStart: int64(start), Exit: 3, Why: "transactional violated exactly-once, which must hold",
		Faults: []harness.FaultRecord{{Fault: "partition", Target: "leader of output/0", At: 12 * time.Second, For: 15 * time.Second,
			Injected: start.Add(12 * time.Second), Healed: start.Add(27 * time.Second), Resolved: harness.Resolved{Text: "broker 1"},
			Proofs: []harness.Proof{{Pipeline: "transactional", TookEffect: true}}}},
		Rows: []harness.Row{
			{Pipeline: "acks1", Claims: harness.AtLeastOnce, Delivered: "at-least-once", ProducerOnly: true,
				Verdicts: []harness.GuaranteeVerdict{{Guarantee: harness.AtLeastOnce, Verdict: harness.Held}}, Numbers: harness.NumbersOf("input", 96210, "unique", 96210)},
			{Pipeline: "transactional", Claims: harness.ExactlyOnce, Delivered: "violated",
				Verdicts: []harness.GuaranteeVerdict{{Guarantee: harness.ExactlyOnce, Verdict: harness.Violated, Reasons: []string{"1 is torn </script><b>"}}},
				Numbers:  harness.NumbersOf("input", 96207, "unique", 96200, "lost", 7, "torn", 1, "lsoStalls", 1, "longestStall", 8700*time.Millisecond)},
		},
	}
	return r, timeline()
}

func timeline() *page.Timeline {
	t := &page.Timeline{From: -2, To: 60, Explain: "chaeos explain x",
		Faults: []page.Band{{From: 12, To: p(27.0), Name: "partition", Text: "partition of broker 1"}},
		Leaders: []page.Leaders{{Partition: "out/0", Spans: []page.LeaderSpan{{From: -2, To: p(20.0), Leader: 1, Text: "broker 1", Tip: "broker 1"}, {From: 20, To: p(40.0), Leader: 2, Text: "broker 2", Dim: true},
			{From: 40, To: p(50.0), Leader: 3, Text: "broker 3"}, {From: 50, Leader: 4, Text: "broker 4"}}}},
		Members: []page.Member{{Member: "transactional-0", Spans: []page.MemberSpan{{From: -2, To: p(30.0), State: "up", Text: "1", Tip: "incarnation 1"},
			{From: 30, To: p(35.0), State: "killed", Tip: "killed"}, {From: 35, State: "up", Text: "2", Tip: "incarnation 2"}}}},
	}
	for _, name := range []string{"acks1", "transactional"} {
		pipe := page.Pipeline{Name: name, Verdict: "at-least-once held", Outcome: "held", Stalls: []page.Band{}, Markers: []page.Marked{}, Lag: []page.Lag{}}
		for i := range 620 {
			x := -2 + float64(i)/10
			pipe.Times = append(pipe.Times, x)
			pipe.Acked = append(pipe.Acked, p(250+float64(i%7)))
			pipe.Visible = append(pipe.Visible, p(250-float64(i%9)))
			pipe.P50, pipe.P99, pipe.Max = append(pipe.P50, p(12.0)), append(pipe.P99, p(40.0)), append(pipe.Max, p(400.0))
		}
		if name == "transactional" {
			pipe.Verdict, pipe.Outcome = "exactly-once violated", "violated"
			pipe.Stalls = []page.Band{{From: 12, To: p(20.7), Name: "transactional-0", Text: "8.7s, held by transactional-0"}}
			pipe.Markers = []page.Marked{
				{Kind: "lost", Total: 9, At: []float64{14, 14.01, 40}, Records: []string{"0/4711", "0/4714", "0/9000"}, Details: map[int]page.Detail{
					0: {Text: "sequence 4711 is not there", Life: "produced by source 0 at 13.9s\n" + strings.Repeat("what matters most is said at the end of a long line, ", 8) + "not in the log"}, 1: {Text: "nor 4714", Life: "produced by source 0 at 14.0s"}}},
				{Kind: "committed-not-seen", Total: 1, At: []float64{13}, Records: []string{""}, Details: map[int]page.Detail{0: {Text: "transaction 6: 0 of 100"}}},
				{Kind: "torn", Total: 1, At: []float64{15}, Records: []string{"0/412"}, Details: map[int]page.Detail{}},
			}
			pipe.Lag = []page.Lag{{Partition: 0, Values: pipe.Acked}}
		}
		t.Pipelines = append(t.Pipelines, pipe)
	}
	return t
}

func render(t *testing.T) string {
	t.Helper()
	r, tl := sample()
	var b bytes.Buffer
	require.NoError(t, page.HTML(&b, r, tl, page.Options{Again: "chaeos verify runs/x"}))
	return b.String()
}

// TestPageNeedsNoNetwork: whatever it shows is in it.
func TestPageNeedsNoNetwork(t *testing.T) {
	text := render(t)
	for _, reference := range []string{"src=", "href=\"http", "@import", "url(http", "fetch(", "XMLHttpRequest"} {
		require.NotContains(t, text, reference)
	}
	require.Less(t, len(text), 200<<10)
}

// TestPageEscapes: a text from a run must not become a part of the page.
func TestPageEscapes(t *testing.T) {
	r, tl := sample()
	evil := `</script><img src=x onerror=alert(1)>`
	r.Why, r.Rows[0].Pipeline, tl.Pipelines[0].Name, tl.Faults[0].Text = evil, evil, evil, evil
	var b bytes.Buffer
	require.NoError(t, page.HTML(&b, r, tl, page.Options{Again: evil}))
	require.NotContains(t, b.String(), "<img")
	require.Equal(t, 3, strings.Count(b.String(), "</script>"), "the page's own three scripts")
}

func TestPageCarriesTheTimeline(t *testing.T) {
	text := render(t)
	_, rest, found := strings.Cut(text, `<script type="application/json" id="data">`)
	require.True(t, found)
	data, _, _ := strings.Cut(rest, "</script>")
	var back page.Timeline
	require.NoError(t, json.Unmarshal([]byte(data), &back))
	require.Equal(t, *timeline(), back)
}

func TestPageReportsAFailedWrite(t *testing.T) {
	r, tl := sample()
	require.ErrorIs(t, page.HTML(failing{}, r, tl, page.Options{}), io.ErrShortWrite)
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }
