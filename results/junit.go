package results

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/prose"
)

// JUnitOptions choose what counts as a failure.
type JUnitOptions struct {
	// Strict asks of every guarantee that it holds, also where the experiment expects it to break.
	Strict bool
	// SkipInconclusive reports an inconclusive guarantee as skipped instead of as an error.
	SkipInconclusive bool
	// Dir returns the folder of a run, for the command that explains a failure (nil: the run's name).
	Dir func(*harness.Report) string
	// Failed are runs without a report, each with why: an error each.
	Failed []string
}

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`

	took time.Duration
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	Time       string          `xml:"time,attr"`
	Timestamp  string          `xml:"timestamp,attr,omitempty"`
	Properties []junitProperty `xml:"properties>property,omitempty"`
	Cases      []junitCase     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Class   string       `xml:"classname,attr"`
	Name    string       `xml:"name,attr"`
	Time    string       `xml:"time,attr"`
	Failure *junitDetail `xml:"failure,omitempty"`
	Error   *junitDetail `xml:"error,omitempty"`
	Skipped *junitDetail `xml:"skipped,omitempty"`
	Out     string       `xml:"system-out,omitempty"`
}

type junitDetail struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// JUnit writes a test suite for each run, and a test case for each guarantee that was claimed or expected and for each limit. A violated guarantee is a
// failure unless the experiment expects it to break; an inconclusive one is an error. Errors are w's.
func JUnit(w io.Writer, reports []*harness.Report, opts JUnitOptions) error {
	all := junitSuites{Name: "chaeos"}
	for _, r := range reports {
		all.Suites = append(all.Suites, junitRun(r, opts))
		all.took += r.Took
	}
	return all.write(w, prose.Cleaned(opts.Failed))
}

// write sums the suites up, adds one of the runs without a report where there are any, and writes the document.
func (all *junitSuites) write(w io.Writer, failed []string) error {
	if len(failed) > 0 {
		lost := junitSuite{Name: "runs without a report", Time: "0.000"}
		for _, why := range failed {
			name, _, _ := strings.Cut(why, ": ")
			lost.add(junitCase{Class: "chaeos.run", Name: name, Time: "0.000", Error: &junitDetail{Message: "no report", Type: "infrastructure", Text: why}})
		}
		all.Suites = append(all.Suites, lost)
	}
	for _, s := range all.Suites {
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
		all.Skipped += s.Skipped
	}
	all.Time = fmt.Sprintf("%.3f", all.took.Seconds())
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func junitRun(r *harness.Report, opts JUnitOptions) junitSuite {
	dir := r.Run
	if opts.Dir != nil {
		dir = opts.Dir(r)
	}
	r, dir = prose.Cleaned(r), prose.Line(dir)
	s := junitSuite{
		Name: fmt.Sprintf("%s seed %d", r.Experiment, r.Seed), Time: fmt.Sprintf("%.3f", r.Took.Seconds()),
		Timestamp:  r.Started.UTC().Format("2006-01-02T15:04:05"),
		Properties: []junitProperty{{"run", r.Run}, {"provider", r.Provider}, {"kafka", r.Kafka}, {"chaeos", r.Chaeos}, {"exit", fmt.Sprint(r.Exit)}},
	}
	for _, row := range r.Rows {
		for _, v := range row.Verdicts {
			if v.Guarantee == row.Claims || v.Expected != "" {
				s.add(junitTest(r, row, asserted{string(v.Guarantee), v.Verdict, cmp.Or(v.Expected, harness.MustHold), v.Reasons}, dir, opts))
			}
		}
		for _, l := range row.Limits {
			reasons := []string{fmt.Sprintf("%s is %s", l.Number, figureText(row, l.Number))}
			if l.Reason != "" {
				reasons = append(reasons, l.Reason)
			}
			s.add(junitTest(r, row, asserted{l.Limit, l.Verdict, l.Expected, reasons}, dir, opts))
		}
	}
	return s
}

func (s *junitSuite) add(c junitCase) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
}

// asserted is a guarantee or a limit that a row was tested for.
type asserted struct {
	what     string
	verdict  harness.Verdict
	expected harness.Expectation
	reasons  []string
}

func junitTest(r *harness.Report, row harness.Row, a asserted, dir string, opts JUnitOptions) junitCase {
	c := junitCase{Class: r.Experiment + "." + row.Pipeline, Name: a.name(opts), Time: "0.000"}
	detail := &junitDetail{
		Message: fmt.Sprintf("%s %s (%s)", a.what, a.verdict, a.expected), Type: a.verdict.String(),
		Text: junitText(r, row, a.reasons, dir),
	}
	switch {
	case a.verdict == harness.Inconclusive && opts.SkipInconclusive:
		c.Skipped = detail
	case a.verdict == harness.Inconclusive:
		c.Error = detail
	case a.verdict == harness.Violated && (opts.Strict || a.expected == harness.MustHold):
		c.Failure = detail
	case a.verdict == harness.Held && a.expected == harness.MustBreak && !opts.Strict:
		detail.Message += ": the experiment showed nothing"
		c.Failure = detail
	default:
		c.Out = detail.Message + "\n" + detail.Text
	}
	return c
}

// name is what the case asserts, so that a passed one says what came out. It depends on what is expected alone: a case
// keeps its name from run to run.
func (a asserted) name(opts JUnitOptions) string {
	switch {
	case opts.Strict || a.expected == harness.MustHold:
		return a.what + " holds"
	case a.expected == harness.MustBreak:
		return a.what + " breaks, as expected"
	default:
		return a.what + " may break"
	}
}

// junitText gives a person the reasons, the counts, and the command that explains them.
func junitText(r *harness.Report, row harness.Row, reasons []string, dir string) string {
	var b strings.Builder
	b.WriteByte('\n')
	for _, reason := range slices.Concat(reasons, r.Inconclusive) {
		fmt.Fprintln(&b, reason)
	}
	for _, c := range Columns() {
		if n, is := c.Value(row).(uint64); is && (n > 0 || c.Show == harness.Always) {
			fmt.Fprintf(&b, "%s %d\n", c.Key, n)
		}
	}
	for _, flag := range Anomalies(row.Numbers) {
		fmt.Fprintf(&b, "chaeos explain %s --pipeline %s --%s\n", dir, row.Pipeline, flag)
	}
	return b.String()
}
