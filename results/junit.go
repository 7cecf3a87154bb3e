package results

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness"
)

// JUnitOptions say what counts as what.
type JUnitOptions struct {
	// Strict makes every violated guarantee a failure, also where the experiment expects it to break.
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

// JUnit writes a test suite a run and a test case a guarantee that was claimed or expected. A violated guarantee is a
// failure unless the experiment expects it to break; an inconclusive one is an error. Errors are w's.
func JUnit(w io.Writer, reports []*harness.Report, opts JUnitOptions) error {
	all := junitSuites{Name: "chaeos"}
	for _, r := range reports {
		all.Suites = append(all.Suites, junitRun(r, opts))
		all.took += r.Took
	}
	return all.write(w, opts.Failed)
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
	s := junitSuite{
		Name: fmt.Sprintf("%s seed %d", r.Experiment, r.Seed), Time: fmt.Sprintf("%.3f", r.Took.Seconds()),
		Timestamp:  r.Started.UTC().Format("2006-01-02T15:04:05"),
		Properties: []junitProperty{{"run", r.Run}, {"provider", r.Provider}, {"kafka", r.Kafka}, {"chaeos", r.Chaeos}, {"exit", fmt.Sprint(r.Exit)}},
	}
	for _, row := range r.Rows {
		for _, v := range row.Verdicts {
			if v.Guarantee == row.Claims || v.Expected != "" {
				s.add(junitGuarantee(r, row, v, opts))
			}
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

func junitGuarantee(r *harness.Report, row harness.Row, v harness.GuaranteeVerdict, opts JUnitOptions) junitCase {
	c := junitCase{Class: r.Experiment + "." + row.Pipeline, Name: string(v.Guarantee), Time: "0.000"}
	expected := cmp.Or(v.Expected, harness.MustHold)
	detail := &junitDetail{
		Message: fmt.Sprintf("%s %s (%s)", v.Guarantee, v.Verdict, expected), Type: v.Verdict.String(),
		Text: junitText(r, row, v, opts),
	}
	switch {
	case v.Verdict == harness.Inconclusive && opts.SkipInconclusive:
		c.Skipped = detail
	case v.Verdict == harness.Inconclusive:
		c.Error = detail
	case v.Verdict == harness.Violated && (opts.Strict || expected == harness.MustHold):
		c.Failure = detail
	case v.Verdict == harness.Held && expected == harness.MustBreak:
		detail.Message += ": the experiment showed nothing"
		c.Failure = detail
	default:
		c.Out = detail.Message + "\n" + detail.Text
	}
	return c
}

// junitText is what a person needs to see: the reasons, the counts, and the command that explains them.
func junitText(r *harness.Report, row harness.Row, v harness.GuaranteeVerdict, opts JUnitOptions) string {
	var b strings.Builder
	b.WriteByte('\n')
	for _, reason := range append(v.Reasons, r.Inconclusive...) {
		fmt.Fprintln(&b, reason)
	}
	for _, c := range Columns() {
		if n, is := c.Value(row).(uint64); is && (n > 0 || c.Show == harness.Always) {
			fmt.Fprintf(&b, "%s %d\n", c.Key, n)
		}
	}
	dir := r.Run
	if opts.Dir != nil {
		dir = opts.Dir(r)
	}
	for _, flag := range Anomalies(row.Numbers) {
		fmt.Fprintf(&b, "chaeos explain %s --pipeline %s --%s\n", dir, row.Pipeline, flag)
	}
	return b.String()
}
