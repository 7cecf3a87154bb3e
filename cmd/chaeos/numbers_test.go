package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/golden"
	"github.com/chaeos/chaeos/results"
	"github.com/chaeos/chaeos/verifiers"
)

// Between these lines docs/NUMBERS.md is made from what the checks declare.
const (
	numbersBegin = "<!-- from here on made by go test ./cmd/chaeos -run Numbers -update, from what verifiers/checks declare -->\n"
	numbersEnd   = "<!-- up to here -->\n"
)

// TestNumbersPage holds the page of definitions and the checks together: an entry a number with its definition, what it can't see
// and the check that computes it; every check and every cause is there.
func TestNumbersPage(t *testing.T) {
	path := "../../" + results.Numbers
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	head, rest, ok := strings.Cut(string(text), numbersBegin)
	require.True(t, ok, "%s does not say where the numbers begin", path)
	_, tail, ok := strings.Cut(rest, numbersEnd)
	require.True(t, ok, "%s does not say where the numbers end", path)
	page := head + numbersBegin + numberTable() + numberSections() + otherChecks() + numbersEnd + tail
	golden.Equal(t, path, page)

	var order []string
	for _, section := range strings.Split(page, "\n## ")[1:] {
		heading, body, _ := strings.Cut(section, "\n")
		order = append(order, strings.ReplaceAll(strings.ToLower(heading), " ", "-"))
		if heading != "At a glance" && heading != "Other checks" {
			require.Contains(t, body, "*Can't see:* ", heading)
			require.Contains(t, body, "*Check:* `", heading)
		}
	}
	var columns []string
	for _, c := range results.Columns() {
		columns = append(columns, c.Anchor)
	}
	require.Equal(t, append(append(columns[:4:4], "at-a-glance"), append(columns[4:], "other-checks")...), order, "the page has the columns' order")
	for _, cause := range verifiers.Causes() {
		require.Contains(t, page, "*"+cause+"*", "the cause %s is not defined", cause)
	}
}

// numberTable lists every number on one screen.
func numberTable() string {
	var b strings.Builder
	b.WriteString("\n## At a glance\n\n| number | in JSON and CSV | counts | tables show it | check | found in the tests by |\n|---|---|---|---|---|---|\n")
	for _, c := range verifiers.Checks() {
		for _, n := range c.Numbers {
			if n.Kind == harness.ByCause {
				continue
			}
			fmt.Fprintf(&b, "| [%s](#%s) | `%s` | %s | %s | `%s` | %s |\n", n.Header, anchorOf(n), n.Key, unit(n), shown(n), c.Name, c.Control)
		}
	}
	return b.String()
}

func unit(n harness.Number) string {
	text := map[harness.NumberKind]string{harness.Count: "a count", harness.Duration: "a time", harness.PartitionID: "a partition"}[n.Kind]
	if n.Absent != harness.Zero || n.Of != "" {
		text += ", or `–`"
	}
	return text
}

func shown(n harness.Number) string {
	return map[harness.Show]string{harness.Always: "always", harness.WhenNonZero: "where it is not 0", harness.DataOnly: "never"}[n.Show]
}

func anchorOf(n harness.Number) string {
	for _, c := range results.Columns() {
		if c.Key == n.Key {
			return c.Anchor
		}
	}
	return ""
}

// numberSections define every number.
func numberSections() string {
	var b strings.Builder
	for _, c := range verifiers.Checks() {
		for _, n := range c.Numbers {
			if n.Kind == harness.ByCause {
				continue
			}
			heading := strings.ReplaceAll(anchorOf(n), "-", " ")
			fmt.Fprintf(&b, "\n## %s%s\n\n%s\n\n*Can't see:* %s\n*Check:* `%s`.\n", strings.ToUpper(heading[:1]), heading[1:], n.Means, n.Unseen, c.Name)
		}
	}
	return b.String()
}

// otherChecks are those without a number.
func otherChecks() string {
	var b strings.Builder
	b.WriteString("\n## Other checks\n\nThey count nothing, and keep rows from being called held (see Delivered):\n\n")
	for _, c := range verifiers.Checks() {
		if len(c.Numbers) == 0 {
			fmt.Fprintf(&b, "- `%s` %s; found in the tests by *%s*.\n", c.Name, c.About, c.Control)
		}
	}
	return b.String()
}

// TestEveryCheckIsDescribed: a check says what it looks for, and each of its numbers what it is and can't see.
func TestEveryCheckIsDescribed(t *testing.T) {
	keys, names := map[string]bool{}, map[string]bool{}
	for _, c := range verifiers.Checks() {
		require.False(t, names[c.Name], "%s is there twice", c.Name)
		names[c.Name] = true
		require.NotEmpty(t, c.About, c.Name)
		require.NotEmpty(t, c.Control, c.Name)
		for _, n := range c.Numbers {
			require.False(t, keys[n.Key], "%s is declared twice", n.Key)
			keys[n.Key] = true
			if n.Kind == harness.ByCause {
				require.True(t, keys[n.Of], "%s is of no number before it", n.Key)
				continue
			}
			require.Greater(t, len(n.Means), 20, "%s is not defined", n.Key)
			require.NotEmpty(t, n.Unseen, "%s does not say what it can't see", n.Key)
			require.Equal(t, strings.ToUpper(n.Header), n.Header)
			require.NotEmpty(t, n.Header)
		}
	}
}

// TestExplainKnowsTheKindsThatReportsPointAt: the flags that a report's forms print are those that chaeos explain has, in the
// same order, and each stands for a kind of anomaly of its own.
func TestExplainKnowsTheKindsThatReportsPointAt(t *testing.T) {
	all := harness.NumbersOf("duplicates", 1, "lost", 1, "torn", 1, "abortedSeen", 1, "phantom", 1, "unprocessed", 1, "hidden", 1)
	var flags []string
	kinds := map[harness.AnomalyKind]bool{}
	for _, x := range anomalyFlags {
		flags = append(flags, x.flag)
		require.Contains(t, harness.AnomalyKinds(), x.kind)
		require.False(t, kinds[x.kind], x.kind)
		kinds[x.kind] = true
	}
	require.Equal(t, flags, results.Anomalies(all))
	require.Empty(t, results.Anomalies(harness.Numbers{}))
}
