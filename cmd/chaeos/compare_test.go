package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
)

func TestCompareExitCodes(t *testing.T) {
	dir := t.TempDir()
	before, after := runFolder(t, dir, "before"), runFolder(t, dir, "after")
	for name, c := range map[string]struct {
		before, after harness.Verdict
		exit          int
	}{
		"no change": {harness.Held, harness.Held, exitExpected},
		"worse":     {harness.Held, harness.Violated, exitViolated},
		"better":    {harness.Violated, harness.Held, exitExpected},
		"unproved":  {harness.Held, harness.Inconclusive, exitInconclusive},
		"still so":  {harness.Inconclusive, harness.Inconclusive, exitInconclusive},
	} {
		b := newBench(t)
		b.parts.judge = func(dir string) (*harness.Report, error) {
			r := report("baseline", 0)
			verdict := c.after
			if filepath.Base(dir) == "before" {
				verdict = c.before
			}
			r.Rows[0].Verdicts = []harness.GuaranteeVerdict{{Guarantee: harness.AtLeastOnce, Verdict: verdict}}
			return r, nil
		}
		require.Equal(t, c.exit, b.do("compare", before, after), name)
		require.Contains(t, b.out.String(), "A  "+before)
	}
}

// TestCompareOfNothing: sides without a pipeline in common prove nothing.
func TestCompareOfNothing(t *testing.T) {
	dir := t.TempDir()
	one, two := runFolder(t, dir, "baseline"), runFolder(t, dir, "latency")
	b := newBench(t)
	b.parts.judge = func(dir string) (*harness.Report, error) { return report(filepath.Base(dir), 0), nil }
	require.Equal(t, exitInconclusive, b.do("compare", one, two))
	require.Contains(t, b.out.String(), "nothing was compared")
}

func TestCompareRefuses(t *testing.T) {
	dir := runFolder(t, t.TempDir(), "run")
	b := newBench(t)
	require.Equal(t, exitUsage, b.do("compare", dir))
	require.Contains(t, b.err.String(), "at least two runs")
	b = newBench(t)
	judged := 0
	b.parts.judge = func(string) (*harness.Report, error) { judged++; return report("baseline", 0), nil }
	require.Equal(t, exitUsage, b.do("compare", dir, t.TempDir()))
	require.Zero(t, judged)
	b = newBench(t)
	require.Equal(t, exitUsage, b.do("compare", dir, dir, "--json", "--markdown"))
}
