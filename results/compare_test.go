package results_test

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/golden"
	"github.com/chaeos/chaeos/results"
)

// runs makes one report a value: an at-least-once pipeline with that many duplicates and that recovery.
func runs(duplicates []uint64, recovery ...time.Duration) []*harness.Report {
	var out []*harness.Report
	for i, d := range duplicates {
		r := base("worker-kill", uint64(i))
		r.Rows = []harness.Row{row("idempotent", harness.AtLeastOnce, harness.NumbersOf("input", 1000, "unique", 1000, "duplicates", d, "recovery", recovery[i]))}
		out = append(out, r)
	}
	return out
}

func lossy() *harness.Report {
	r := runs([]uint64{5}, s(2))[0]
	r.Rows[0].Verdicts[0].Verdict = harness.Violated
	r.Rows[0].Numbers.Set("lost", 7)
	r.Rows[0].Numbers.Set("unique", 993)
	return r
}

func undecided() *harness.Report {
	r := runs([]uint64{5}, s(2))[0]
	r.Rows[0].Verdicts[0].Verdict = harness.Inconclusive
	return r
}

func TestCompareTellsNoiseFromChange(t *testing.T) {
	for name, c := range map[string]struct {
		a, b []uint64
		want results.Difference
	}{
		"equal":                       {[]uint64{5}, []uint64{5}, ""},
		"one run a side":              {[]uint64{5}, []uint64{900}, results.CannotTell},
		"within the spread":           {[]uint64{5, 9, 20}, []uint64{12, 25, 30}, results.WithinSpread},
		"touching spreads overlap":    {[]uint64{5, 9}, []uint64{9, 12}, results.WithinSpread},
		"outside the spread":          {[]uint64{5, 9, 20}, []uint64{21, 25, 30}, results.Changed},
		"one run outside of many":     {[]uint64{5, 9, 20}, []uint64{21}, results.TooFew},
		"one run within many":         {[]uint64{5, 9, 20}, []uint64{7}, results.WithinSpread},
		"better is a change too":      {[]uint64{5, 9, 7}, []uint64{0, 0, 1}, results.Changed},
		"the same values, other runs": {[]uint64{5, 9}, []uint64{9, 5}, ""},
	} {
		same := []time.Duration{s(1), s(1), s(1)}
		got := results.Compare([]results.Side{{Name: "a", Reports: runs(c.a, same...)}, {Name: "b", Reports: runs(c.b, same...)}})
		if c.want == "" {
			require.Empty(t, got.Figures, name)
			continue
		}
		require.Len(t, got.Figures, 1, name)
		require.Equal(t, "duplicates", got.Figures[0].Key, name)
		require.Equal(t, []results.Difference{c.want}, got.Figures[0].Differences, name)
	}
}

// TestAFigureThatDidNotChange: of runs of the same thing, as large a share of figures is called changed as the text states.
func TestAFigureThatDidNotChange(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	const rounds = 4000
	changed := 0
	for range rounds {
		values := func() (all []uint64) {
			for range 3 {
				all = append(all, draw.Uint64N(1<<40))
			}
			return all
		}
		same := []time.Duration{s(1), s(1), s(1)}
		c := results.Compare([]results.Side{{Name: "a", Reports: runs(values(), same...)}, {Name: "b", Reports: runs(values(), same...)}})
		if c.Figures[0].Differences[0] == results.Changed {
			changed++
		}
	}
	require.InDelta(t, 0.1, float64(changed)/rounds, 0.02)
}

// TestCompareVerdicts: inconclusive is neither better nor worse, and a verdict is judged by what is expected of it.
func TestCompareVerdicts(t *testing.T) {
	side := func(expected harness.Expectation, verdicts ...harness.Verdict) (all []*harness.Report) {
		for _, v := range verdicts {
			r := runs([]uint64{5}, s(2))[0]
			r.Rows[0].Verdicts[0].Verdict, r.Rows[0].Verdicts[0].Expected = v, expected
			all = append(all, r)
		}
		return all
	}
	const held, violated, unknown = harness.Held, harness.Violated, harness.Inconclusive
	for _, c := range []struct {
		expected harness.Expectation
		a, b     []harness.Verdict
		want     results.Change
	}{
		{"", []harness.Verdict{held}, []harness.Verdict{held}, ""},
		{"", []harness.Verdict{held}, []harness.Verdict{held, violated}, results.Worse},
		{"", []harness.Verdict{held}, []harness.Verdict{unknown}, results.Unproved},
		{"", []harness.Verdict{held}, []harness.Verdict{held, unknown}, results.Unproved},
		{"", []harness.Verdict{violated}, []harness.Verdict{unknown}, results.Unproved},
		{"", []harness.Verdict{violated}, []harness.Verdict{held}, results.Better},
		{"", []harness.Verdict{violated, held}, []harness.Verdict{violated}, ""},
		{"", []harness.Verdict{unknown}, []harness.Verdict{held}, results.Unproved},
		{"", []harness.Verdict{unknown}, []harness.Verdict{unknown}, results.Unproved},
		{"", []harness.Verdict{unknown}, []harness.Verdict{violated}, results.Worse},
		{harness.MustBreak, []harness.Verdict{violated}, []harness.Verdict{violated}, ""},
		{harness.MustBreak, []harness.Verdict{violated}, []harness.Verdict{unknown}, results.Unproved},
		{harness.MustBreak, []harness.Verdict{violated}, []harness.Verdict{held}, results.Unproved},
		{harness.MustBreak, []harness.Verdict{held}, []harness.Verdict{violated}, results.Better},
		{harness.MayBreak, []harness.Verdict{held}, []harness.Verdict{violated}, results.Different},
		{harness.MayBreak, []harness.Verdict{violated}, []harness.Verdict{held}, results.Different},
		{harness.MayBreak, []harness.Verdict{violated}, []harness.Verdict{unknown}, results.Unproved},
	} {
		got := results.Compare([]results.Side{{Name: "a", Reports: side(c.expected, c.a...)}, {Name: "b", Reports: side(c.expected, c.b...)}})
		if c.want == "" {
			require.Empty(t, got.Verdicts, "%+v", c)
		} else {
			require.Len(t, got.Verdicts, 1, "%+v", c)
			require.Equal(t, c.want, got.Verdicts[0].Change, "%+v", c)
		}
		require.Equal(t, c.want == results.Worse, got.Worse(), "%+v", c)
		require.Equal(t, c.want == results.Unproved, got.Unproved(), "%+v", c)
	}
}

// TestTheWorstChangeCounts: of several later sides.
func TestTheWorstChangeCounts(t *testing.T) {
	held := runs([]uint64{5}, s(2))
	got := results.Compare([]results.Side{{Name: "a", Reports: held}, {Name: "b", Reports: []*harness.Report{undecided()}}, {Name: "c", Reports: []*harness.Report{lossy()}}, {Name: "d", Reports: held}})
	require.Equal(t, results.Worse, got.Verdicts[0].Change)
	require.False(t, got.Unproved())
}

// TestInfiniteLatencies survive summaries and comparisons, as text and as JSON.
func TestInfiniteLatencies(t *testing.T) {
	night := func(p99 ...*time.Duration) (all []*harness.Report) {
		for _, d := range p99 {
			r := runs([]uint64{5}, s(2))[0]
			if d != nil {
				r.Rows[0].Numbers.Set("p99", *d)
			} else {
				r.Rows[0].Numbers.Set("neverLive", 500)
			}
			all = append(all, r)
		}
		return all
	}
	finite := p(s(15.4))
	for _, c := range []struct {
		a, b []*harness.Report
		says string
	}{
		{night(finite), night(nil), `P99 E2E +worker-kill +idempotent +15\.4s +∞ +\+∞, one run a side`},
		{night(nil), night(finite), `P99 E2E +worker-kill +idempotent +∞ +15\.4s +-∞, one run a side`},
		{night(finite, finite, nil), night(nil, nil, nil), `P99 E2E +worker-kill +idempotent +15\.4s \(15\.4s–∞\) +∞ +\+∞, within the spread`},
		{night(nil, nil, finite), night(nil, nil, nil), `P99 E2E +worker-kill +idempotent +∞ \(15\.4s–∞\) +∞ +\+0ms, within the spread`},
	} {
		comparison := results.Compare([]results.Side{{Name: "a", Reports: c.a}, {Name: "b", Reports: c.b}})
		var b bytes.Buffer
		require.NoError(t, results.WriteComparison(&b, comparison, results.CompareOptions{All: true}))
		require.Regexp(t, c.says, b.String())
		b.Reset()
		require.NoError(t, results.CompareJSON(&b, comparison))
		var back results.Comparison
		require.NoError(t, json.Unmarshal(b.Bytes(), &back))
		require.Equal(t, comparison, &back)
	}
	for _, reports := range [][]*harness.Report{night(nil), night(finite, nil)} {
		sum := results.Summarise("x", reports, nil)
		var text, plain, doc bytes.Buffer
		require.NoError(t, results.WriteSummary(&text, sum, results.SummaryOptions{}))
		require.Regexp(t, `(?m)idempotent.* ∞$`, text.String())
		require.NoError(t, results.SummaryCSV(&plain, sum))
		require.Regexp(t, `(?m),inf$`, plain.String())
		require.NoError(t, results.SummaryJSON(&doc, sum))
		require.Regexp(t, `"p99": null`, doc.String())
		var back results.Summary
		require.NoError(t, json.Unmarshal(doc.Bytes(), &back))
		require.Equal(t, sum, &back)
	}
	require.NotContains(t, results.Summarise("x", night(p(time.Duration(0)), nil)[:1], nil).Rows[0].Worst, "p50", "not observed is not infinite")
}

func TestCompareNamesWhatIsMissing(t *testing.T) {
	other := runs([]uint64{5}, s(2))
	other[0].Rows[0].Pipeline = "transactional"
	got := results.Compare([]results.Side{{Name: "a", Reports: runs([]uint64{5}, s(2))}, {Name: "b", Reports: other}})
	require.Equal(t, []results.Missing{
		{Subject: results.Subject{Experiment: "worker-kill", Pipeline: "idempotent"}, From: []string{"b"}},
		{Subject: results.Subject{Experiment: "worker-kill", Pipeline: "transactional"}, From: []string{"a"}},
	}, got.Missing)
	require.False(t, got.Worse())
}

// comparison has everything: a verdict that got worse and one that got better, changes, noise, and something missing.
func comparison() *results.Comparison {
	a := runs([]uint64{5, 9, 20}, s(1), s(2), s(3))
	b := append(runs([]uint64{31, 40, 60}, s(1.5), s(2.5), s(9)), lossy())
	a = append(a, violated())
	fixed := violated()
	fixed.Rows[2].Verdicts[0].Verdict = harness.Held
	fixed.Rows[2].Numbers.Set("torn", 0)
	b = append(b, fixed, clean())
	return results.Compare([]results.Side{{Name: "runs/4.2.0", Reports: a}, {Name: "runs/4.3.1", Reports: b}, {Name: "runs/4.4.0", Reports: b}})
}

func TestComparisonForms(t *testing.T) {
	for name, opts := range map[string]results.CompareOptions{
		"compare.txt": {}, "compare-all.txt": {All: true}, "compare.md": {Markdown: true}, "compare.80.txt": {All: true, Width: 80},
	} {
		var b bytes.Buffer
		require.NoError(t, results.WriteComparison(&b, comparison(), opts))
		golden.Equal(t, "testdata/"+name, b.Bytes())
	}
	var b bytes.Buffer
	require.NoError(t, results.CompareJSON(&b, comparison()))
	var back results.Comparison
	require.NoError(t, json.Unmarshal(b.Bytes(), &back))
	require.Equal(t, comparison(), &back)
}

// everySide is two sides with everything on both.
func everySide() []results.Side {
	return []results.Side{{Name: "a", Reports: everyReport()}, {Name: "b", Reports: suiteReports()}}
}

// TestNothingInCommon: sides that share nothing have not come out the same.
func TestNothingInCommon(t *testing.T) {
	c := results.Compare([]results.Side{{Name: "a", Reports: []*harness.Report{violated()}}, {Name: "b", Reports: runs([]uint64{5}, s(2))}})
	require.Zero(t, c.Compared)
	var b bytes.Buffer
	require.NoError(t, results.WriteComparison(&b, c, results.CompareOptions{}))
	require.Contains(t, b.String(), "nothing was compared")
	require.NotContains(t, b.String(), "no change")
}

func TestComparisonOfTheSameRuns(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, results.WriteComparison(&b, results.Compare([]results.Side{
		{Name: "a", Reports: []*harness.Report{clean(), violated()}}, {Name: "b", Reports: []*harness.Report{clean(), violated()}}}), results.CompareOptions{}))
	require.Contains(t, b.String(), "verdicts: no change")
	require.Contains(t, b.String(), "figures: no change")
	require.ErrorIs(t, results.WriteComparison(failing{io.ErrShortWrite}, comparison(), results.CompareOptions{}), io.ErrShortWrite)
	require.ErrorIs(t, results.CompareJSON(failing{io.ErrShortWrite}, comparison()), io.ErrShortWrite)
}
