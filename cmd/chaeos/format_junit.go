package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/results"
)

// junitFormat is for a CI's own page of tests.
func junitFormat() format {
	const inconclusiveFlag = "junit-inconclusive"
	ways := []string{"error", "skipped"} // the default first
	strict, inconclusive := false, ways[0]
	options := func() results.JUnitOptions {
		return results.JUnitOptions{Strict: strict, SkipInconclusive: inconclusive == "skipped"}
	}
	return format{
		name: "junit", title: "JUnit XML",
		help: "print JUnit XML: a suite a run, a case a guarantee",
		runs: func(w io.Writer, reports []*harness.Report, v view) error {
			o := options()
			o.Dir, o.Failed = func(r *harness.Report) string { return v.dirs[r] }, v.failed
			return results.JUnit(w, reports, o)
		},
		summary: func(w io.Writer, s *results.Summary, _ view) error { return results.SummaryJUnit(w, s, options()) },
		flags: func(c *cobra.Command) {
			c.Flags().BoolVar(&strict, "junit-strict", false, "ask of every guarantee that it holds, also where the experiment expects it to break")
			c.Flags().StringVar(&inconclusive, inconclusiveFlag, ways[0], "report an inconclusive guarantee as error or as skipped")
			complete(c, inconclusiveFlag, ways)
		},
		check: func(asked bool) error {
			if err := oneOf("way to report an inconclusive guarantee", inconclusive, ways); err != nil {
				return err
			}
			if !asked && (strict || inconclusive != ways[0]) {
				return usagef("--junit-strict and --%s shape JUnit XML: add --junit", inconclusiveFlag)
			}
			return nil
		},
	}
}
