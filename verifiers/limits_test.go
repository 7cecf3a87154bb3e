package verifiers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// TestLimits: a figure beyond a limit proves that it is broken; one within it keeps it only if nothing is in doubt.
func TestLimits(t *testing.T) {
	twice := func(w *world) { // ten extra copies
		l := w.log("out-"+srcName, 0)
		l.append(&observation.Batch{ProducerID: -1, Records: append([]observation.Record(nil), l.batches[99].Records...)})
	}
	doubtful := func(w *world) { w.record.Incidents = append(w.record.Incidents, "something") }
	for _, c := range []struct {
		limit    string
		expected harness.Expectation
		do       []func(*world)
		verdict  harness.Verdict
		surprise bool
		exit     int
		why      string
	}{
		{"duplicates <= 10", harness.MustHold, []func(*world){twice}, harness.Held, false, 0, "every claim"},
		{"duplicates <= 9", harness.MustHold, []func(*world){twice}, harness.Violated, true, 3, "acks1: duplicates <= 9 must hold and does not"},
		{"duplicates <= 9", harness.MayBreak, []func(*world){twice}, harness.Violated, false, 0, "every claim"},
		{"duplicates <= 9", harness.MustBreak, []func(*world){twice}, harness.Violated, false, 0, "every claim"},
		{"duplicates <= 10", harness.MustBreak, []func(*world){twice}, harness.Held, true, 4, "acks1: duplicates <= 10 must break and held"},
		{"duplicates >= 10", harness.MustHold, []func(*world){twice}, harness.Held, false, 0, "every claim"},
		{"duplicates >= 11", harness.MustHold, []func(*world){twice}, harness.Violated, true, 3, "duplicates >= 11 must hold"},
		{"duplicates <= 9", harness.MustHold, []func(*world){twice, doubtful}, harness.Violated, true, 3, "duplicates <= 9"},
		{"duplicates <= 10", harness.MustHold, []func(*world){twice, doubtful}, harness.Inconclusive, false, 4, ""},
		{"duplicates >= 10", harness.MustHold, []func(*world){twice, doubtful}, harness.Held, false, 4, ""},
		{"duplicates >= 11", harness.MustHold, []func(*world){twice, doubtful}, harness.Inconclusive, false, 4, ""},
		{"no progress <= 1s", harness.MustHold, nil, harness.Held, false, 0, "every claim"},
		{"no progress <= 1s", harness.MustHold, []func(*world){pausedOutput}, harness.Violated, true, 3, "no progress <= 1s"},
		{"torn <= 0", harness.MustHold, nil, harness.Inconclusive, false, 4, "whether torn <= 0 is not known"},
		{"p99 <= 1h", harness.MustHold, []func(*world){unseenTail}, harness.Violated, true, 3, "p99 <= 1h"},
	} {
		t.Run(c.limit+" "+string(c.expected), func(t *testing.T) {
			l, err := harness.ParseLimit(c.limit)
			require.NoError(t, err)
			l.Expected = c.expected
			w := newWorld(records)
			for _, do := range c.do {
				do(w)
			}
			row := plainName
			if l.Number == "duplicates" {
				row = srcName
			}
			w.record.Limits = map[string][]harness.Limit{row: {l}}
			report := w.judge(t)
			got := rowOf(t, report, row).Limits
			require.Len(t, got, 1)
			require.Equal(t, c.verdict, got[0].Verdict, got[0].Reason)
			require.Equal(t, c.surprise, got[0].Surprise)
			require.Equal(t, c.verdict == harness.Inconclusive, got[0].Reason != "")
			require.Equal(t, c.exit, report.Exit, report.Why)
			require.Contains(t, report.Why, c.why)
		})
	}
}
