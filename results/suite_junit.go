package results

import (
	"fmt"
	"io"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/prose"
)

// SummaryJUnit writes a test suite for each experiment and a test case for each pipeline, over all runs: a failure where a claim that must hold
// was violated in any run, or one that must break held in any; else an error where a run of it was inconclusive. Runs
// without a report are errors. Errors are w's.
func SummaryJUnit(w io.Writer, s *Summary, opts JUnitOptions) error {
	s = prose.Cleaned(s)
	all := junitSuites{Name: s.Name}
	for _, r := range s.Rows {
		if n := len(all.Suites); n == 0 || all.Suites[n-1].Name != r.Experiment {
			all.Suites = append(all.Suites, junitSuite{Name: r.Experiment, Time: "0.000",
				Properties: []junitProperty{{"provider", joined(s.Provider)}, {"kafka", joined(s.Kafka)}, {"chaeos", joined(s.Chaeos)}}})
		}
		all.Suites[len(all.Suites)-1].add(junitSummarised(r, opts))
	}
	return all.write(w, s.Failed)
}

func junitSummarised(r SummaryRow, opts JUnitOptions) junitCase {
	c := junitCase{Class: r.Experiment + "." + r.Pipeline, Name: asserted{what: string(r.Claims), expected: r.Expected}.name(opts), Time: "0.000"}
	detail := &junitDetail{
		Message: fmt.Sprintf("%s %s (%s)", r.Claims, r.Tally.inRuns(), r.Expected), Text: junitSummaryText(r),
	}
	violated := r.Violated > 0 && (opts.Strict || r.Expected == harness.MustHold)
	surprised := r.Surprises > 0 || r.Held > 0 && r.Expected == harness.MustBreak
	if opts.Strict && r.Expected == harness.MustBreak { // that it held is what is asked of it
		surprised = false
	}
	switch {
	case violated || surprised:
		detail.Type = "surprise"
		c.Failure = detail
	case r.Inconclusive > 0 && opts.SkipInconclusive:
		c.Skipped = detail
	case r.Inconclusive > 0:
		detail.Type = harness.Inconclusive.String()
		c.Error = detail
	default:
		c.Out = detail.Message + "\n" + detail.Text
	}
	return c
}

// junitSummaryText gives a person what the runs can say, the worst figures, and which runs to look at.
func junitSummaryText(r SummaryRow) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nviolated in %s\n", violatedIn(r))
	for _, key := range worstColumns() {
		if worst, ok := r.Worst[key]; ok {
			fmt.Fprintf(&b, "worst %s %s\n", key, amountText(worst, isDuration(key)))
		}
	}
	for _, run := range r.Look {
		fmt.Fprintf(&b, "look at %s\n", run)
	}
	return b.String()
}
