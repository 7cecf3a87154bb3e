package results_test

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/golden"
	"github.com/chaeos/chaeos/results"
)

func suiteReports() []*harness.Report {
	return append(everyReport(), append(runs([]uint64{5, 9, 20}, s(1), s(2), s(3)), violated(), lossy(), undecided())...)
}

func TestSummary(t *testing.T) {
	sum := results.Summarise("nightly", suiteReports(), []string{"latency seed 3: no java"})
	for name, opts := range map[string]results.SummaryOptions{"suite.txt": {}, "suite.md": {Markdown: true}, "suite.80.txt": {Width: 80}} {
		var b bytes.Buffer
		require.NoError(t, results.WriteSummary(&b, sum, opts))
		golden.Equal(t, "testdata/"+name, b.Bytes())
	}
	for name, write := range map[string]func(io.Writer) error{
		"suite.csv": func(w io.Writer) error { return results.SummaryCSV(w, sum) },
		"suite.xml": func(w io.Writer) error { return results.SummaryJUnit(w, sum, results.JUnitOptions{}) },
		"suite-lenient.xml": func(w io.Writer) error {
			return results.SummaryJUnit(w, sum, results.JUnitOptions{SkipInconclusive: true})
		},
	} {
		var b bytes.Buffer
		require.NoError(t, write(&b))
		golden.Equal(t, "testdata/"+name, b.Bytes())
		require.ErrorIs(t, write(failing{io.ErrShortWrite}), io.ErrShortWrite)
	}
	var b bytes.Buffer
	require.NoError(t, results.SummaryJSON(&b, sum))
	var back results.Summary
	require.NoError(t, json.Unmarshal(b.Bytes(), &back))
	require.Equal(t, sum, &back)
	require.ErrorIs(t, results.WriteSummary(failing{io.ErrShortWrite}, sum, results.SummaryOptions{}), io.ErrShortWrite)
}

func TestSummaryCounts(t *testing.T) {
	sum := results.Summarise("x", suiteReports(), nil)
	for _, r := range sum.Rows {
		require.Equal(t, r.Runs, r.Held+r.Violated+r.Inconclusive)
		if r.Experiment == "worker-kill" {
			require.Equal(t, results.Tally{Runs: 5, Held: 3, Violated: 1, Inconclusive: 1}, r.Tally)
			require.Nil(t, r.ViolatedBelow)
			require.InDelta(t, 20, float64(r.Worst["duplicates"]), 0)
			require.InDelta(t, 7, float64(r.Worst["lost"]), 0)
			require.InDelta(t, 3e9, float64(r.Worst["recovery"]), 0)
		}
	}
}

// TestWhatRunsWithoutViolationSay compares the bound with the rule of three where that is good.
func TestWhatRunsWithoutViolationSay(t *testing.T) {
	for n, want := range map[int]float64{1: 0.95, 10: 0.2589, 100: 0.0295, 300: 0.00994} {
		var all []*harness.Report
		for range n {
			all = append(all, runs([]uint64{0}, s(1))...)
		}
		row := results.Summarise("x", all, nil).Rows[0]
		require.NotNil(t, row.ViolatedBelow)
		require.InDelta(t, want, *row.ViolatedBelow, 0.0001, "%d runs", n)
	}
	require.Nil(t, results.Summarise("x", []*harness.Report{undecided()}, nil).Rows[0].ViolatedBelow, "an inconclusive run says nothing")
}
