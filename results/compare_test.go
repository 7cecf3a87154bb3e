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

// TestAFigureThatDidNotChange: of runs of the same thing, so many figures are called changed as the text says.
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

func TestCompareVerdicts(t *testing.T) {
	held := runs([]uint64{5}, s(2))
	for name, c := range map[string]struct {
		a, b           []*harness.Report
		changed, worse bool
	}{
		"held to held":             {held, held, false, false},
		"held to violated":         {held, []*harness.Report{held[0], lossy()}, true, true},
		"held to inconclusive":     {held, []*harness.Report{undecided()}, true, true},
		"violated to inconclusive": {[]*harness.Report{lossy()}, []*harness.Report{undecided()}, true, false},
		"violated to held":         {[]*harness.Report{lossy()}, held, true, false},
		"as often violated":        {[]*harness.Report{lossy(), held[0]}, []*harness.Report{lossy()}, false, false},
	} {
		got := results.Compare([]results.Side{{Name: "a", Reports: c.a}, {Name: "b", Reports: c.b}})
		require.Equal(t, c.changed, len(got.Verdicts) == 1, name)
		require.Equal(t, c.worse, got.Worse(), name)
	}
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
		golden(t, name, b.Bytes())
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
		{Name: "a", Reports: everyReport()}, {Name: "b", Reports: everyReport()}}), results.CompareOptions{}))
	require.Contains(t, b.String(), "verdicts: no change")
	require.Contains(t, b.String(), "figures: no change")
	require.ErrorIs(t, results.WriteComparison(failing{io.ErrShortWrite}, comparison(), results.CompareOptions{}), io.ErrShortWrite)
	require.ErrorIs(t, results.CompareJSON(failing{io.ErrShortWrite}, comparison()), io.ErrShortWrite)
}
