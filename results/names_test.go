package results_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"html"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/results"
	"github.com/chaeos/chaeos/results/page"
)

// everything is a report whose only row has something to show in every column.
func everything() *harness.Report {
	r := violated()
	row := harness.Row{Pipeline: "all-of-it", Claims: harness.ExactlyOnce, Delivered: "violated", Verdicts: []harness.GuaranteeVerdict{{Guarantee: harness.ExactlyOnce, Verdict: harness.Violated}}}
	for _, n := range harness.DeclaredNumbers() {
		fill(&row.Numbers, n)
	}
	r.Rows, r.Stalls = []harness.Row{row}, nil
	return r
}

// requireInOrder finds the names in a text, each after the one before.
func requireInOrder(t *testing.T, form, text string, names []string) {
	t.Helper()
	for _, name := range names {
		i := strings.Index(text, name)
		require.GreaterOrEqual(t, i, 0, "%s does not have %q, or not in the list's order", form, name)
		text = text[i+len(name):]
	}
}

// TestEveryFormTakesItsNamesFromTheList: no form of a report has names, or an order, of its own.
func TestEveryFormTakesItsNamesFromTheList(t *testing.T) {
	r := everything()
	form := func(write func(io.Writer) error) string {
		var b bytes.Buffer
		require.NoError(t, write(&b))
		return b.String()
	}
	var headers, titles, keys, counts []string
	for _, c := range results.Columns() {
		keys = append(keys, c.Key)
		if _, is := c.Value(r.Rows[0]).(uint64); is {
			counts = append(counts, c.Key+" 41\n")
		}
		if c.Show != harness.DataOnly {
			headers = append(headers, c.Header)
			titles = append(titles, c.Key+": "+results.Numbers+"#"+c.Anchor+`">`+c.Header+"<")
		}
	}
	requireInOrder(t, "the table", form(func(w io.Writer) error { return results.Table(w, r, results.Options{}) }), headers)
	requireInOrder(t, "Markdown", form(func(w io.Writer) error { return results.Markdown(w, r, results.Options{}) }), headers)
	requireInOrder(t, "HTML", form(func(w io.Writer) error { return page.HTML(w, r, &page.Timeline{}, page.Options{}) }), titles)
	requireInOrder(t, "JUnit", html.UnescapeString(form(func(w io.Writer) error { return results.JUnit(w, []*harness.Report{r}, results.JUnitOptions{}) })), counts)

	lines, err := csv.NewReader(strings.NewReader(form(func(w io.Writer) error { return results.CSV(w, []*harness.Report{r}) }))).ReadAll()
	require.NoError(t, err)
	require.Equal(t, keys, lines[0][len(lines[0])-len(keys):])

	var doc struct {
		Rows []struct{ Numbers map[string]any }
	}
	require.NoError(t, json.Unmarshal([]byte(form(func(w io.Writer) error { return results.JSON(w, r) })), &doc))
	for _, key := range keys[4:] { // pipeline, claim, expectation and verdict are the row's, not numbers
		require.Contains(t, doc.Rows[0].Numbers, key)
	}
}
