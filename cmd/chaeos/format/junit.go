package format

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/chaeos/chaeos/cmd/chaeos/usage"
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/results"
)

// junitKind is for a CI's own page of tests.
func junitKind() Kind {
	const inconclusiveFlag = "junit-inconclusive"
	ways := []string{"error", "skipped"} // the default first
	strict, inconclusive := false, ways[0]
	options := func() results.JUnitOptions {
		return results.JUnitOptions{Strict: strict, SkipInconclusive: inconclusive == "skipped"}
	}
	return Kind{
		Name: "junit", Title: "JUnit XML",
		Help: "print JUnit XML: a suite a run, a case a guarantee",
		Runs: func(w io.Writer, reports []*harness.Report, v View) error {
			o := options()
			o.Dir, o.Failed = func(r *harness.Report) string { return v.Dirs[r] }, v.Failed
			return results.JUnit(w, reports, o)
		},
		Summary: func(w io.Writer, s *results.Summary, _ View) error { return results.SummaryJUnit(w, s, options()) },
		Flags: func(c *cobra.Command) {
			c.Flags().BoolVar(&strict, "junit-strict", false, "ask of every guarantee that it holds, also where the experiment expects it to break")
			c.Flags().StringVar(&inconclusive, inconclusiveFlag, ways[0], "report an inconclusive guarantee as error or as skipped")
			// It fails only for a flag that isn't there.
			_ = c.RegisterFlagCompletionFunc(inconclusiveFlag, cobra.FixedCompletions(ways, cobra.ShellCompDirectiveNoFileComp))
		},
		Check: func(asked bool) error {
			if err := usage.OneOf("way to report an inconclusive guarantee", inconclusive, ways); err != nil {
				return err
			}
			if !asked && (strict || inconclusive != ways[0]) {
				return usage.Errorf("--junit-strict and --%s shape JUnit XML: add --junit", inconclusiveFlag)
			}
			return nil
		},
	}
}
