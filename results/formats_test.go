package results_test

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/golden"
	"github.com/chaeos/chaeos/results"
)

func everyReport() []*harness.Report {
	return []*harness.Report{clean(), violated(), inconclusive(), noFaults()}
}

func TestMarkdown(t *testing.T) {
	for name, report := range reports {
		var b bytes.Buffer
		require.NoError(t, results.Markdown(&b, report(), results.Options{Verify: "chaeos verify runs/x"}))
		golden.Equal(t, "testdata/"+name+".md", b.Bytes())
	}
}

func TestMarkdownEscapes(t *testing.T) {
	r := clean()
	r.Rows[0].Notes = []string{"a | pipe, a <b>tag</b> and a *star*"}
	var b bytes.Buffer
	require.NoError(t, results.Markdown(&b, r, results.Options{}))
	require.Contains(t, b.String(), `a \| pipe, a &lt;b>tag&lt;/b> and a \*star\*`)
}

func TestCSV(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, results.CSV(&b, everyReport()))
	golden.Equal(t, "testdata/all.csv", b.Bytes())
	lines, err := csv.NewReader(&b).ReadAll()
	require.NoError(t, err)
	rows := 0
	for _, r := range everyReport() {
		rows += len(r.Rows)
	}
	require.Len(t, lines, 1+rows)
}

func TestJUnit(t *testing.T) {
	for name, opts := range map[string]results.JUnitOptions{
		"junit.xml":         {},
		"junit-strict.xml":  {Strict: true, Dir: func(r *harness.Report) string { return "runs/" + r.Run }},
		"junit-skipped.xml": {SkipInconclusive: true},
	} {
		var b bytes.Buffer
		require.NoError(t, results.JUnit(&b, everyReport(), opts))
		golden.Equal(t, "testdata/"+name, b.Bytes())
	}
}

// TestJUnitAsksWhatItsNamesSay: a claim that must break and held is a failure, unless the claims alone are asked about.
func TestJUnitAsksWhatItsNamesSay(t *testing.T) {
	r := violated()
	r.Rows[0].Verdicts[0].Verdict, r.Rows[0].Verdicts[0].Surprise = harness.Held, true
	r.Rows = r.Rows[:1]
	for _, c := range []struct {
		opts results.JUnitOptions
		want string
	}{{results.JUnitOptions{}, `failures="1"`}, {results.JUnitOptions{Strict: true}, `failures="0"`}} {
		opts, want := c.opts, c.want
		var one, many bytes.Buffer
		require.NoError(t, results.JUnit(&one, []*harness.Report{r}, opts))
		require.NoError(t, results.SummaryJUnit(&many, results.Summarise("x", []*harness.Report{r}, nil), opts))
		for _, text := range []string{one.String(), many.String()} {
			require.Contains(t, text, want)
			require.Equal(t, opts.Strict, strings.Contains(text, `name="at-least-once holds"`))
			require.Equal(t, !opts.Strict, strings.Contains(text, `name="at-least-once breaks, as expected"`))
		}
	}
}

// TestJUnitCountsItsCases adds the cases up again: CI shows the attributes, not the cases.
func TestJUnitCountsItsCases(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, results.JUnit(&b, everyReport(), results.JUnitOptions{Strict: true}))
	var doc struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Cases    []struct {
			Failure, Error *struct{}
		} `xml:"testsuite>testcase"`
	}
	text := strings.NewReplacer("<failure", "<Failure", "</failure", "</Failure", "<error", "<Error", "</error", "</Error").Replace(b.String())
	require.NoError(t, xml.Unmarshal([]byte(text), &doc))
	failures, errs := 0, 0
	for _, c := range doc.Cases {
		if c.Failure != nil {
			failures++
		}
		if c.Error != nil {
			errs++
		}
	}
	require.Equal(t, []int{len(doc.Cases), failures, errs}, []int{doc.Tests, doc.Failures, doc.Errors})
	require.NotZero(t, failures)
	require.NotZero(t, errs)
}

func TestFormatsReportAFailedWrite(t *testing.T) {
	full := failing{io.ErrShortWrite}
	require.ErrorIs(t, results.Markdown(full, clean(), results.Options{}), io.ErrShortWrite)
	require.ErrorIs(t, results.CSV(full, everyReport()), io.ErrShortWrite)
	require.ErrorIs(t, results.JUnit(full, everyReport(), results.JUnitOptions{}), io.ErrShortWrite)
}
