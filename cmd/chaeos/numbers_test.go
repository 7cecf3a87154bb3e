package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/results"
	"github.com/chaeos/chaeos/verifiers"
)

var checkOf = regexp.MustCompile("(?m)^\\*Check:\\* `([a-z-]+)`\\.$")

// TestNumbersAreDefined holds the page of definitions, the list of columns and the list of checks together: one entry a
// column and nothing else, each with its definition, what it can't see and the check that computes it; every check and
// every cause is there.
func TestNumbersAreDefined(t *testing.T) {
	page, err := os.ReadFile("../../" + results.Numbers)
	require.NoError(t, err)
	checks := map[string]bool{"verdicts": true} // not a check of a row's evidence, but of what the checks found
	for _, name := range verifiers.Checks() {
		checks[name] = true
	}
	entries := map[string]string{}
	var order []string
	for _, section := range strings.Split(string(page), "\n## ")[1:] {
		heading, body, _ := strings.Cut(section, "\n")
		anchor := strings.ReplaceAll(strings.ToLower(heading), " ", "-")
		require.NotContains(t, entries, anchor, "there twice")
		entries[anchor] = body
		order = append(order, anchor)
	}
	var columns []string
	for _, c := range results.Columns() {
		columns = append(columns, c.Anchor)
	}
	require.Equal(t, append(columns, "other-checks"), order, "the page has the columns' order")
	require.Contains(t, entries, "other-checks")
	delete(entries, "other-checks")
	for _, c := range results.Columns() {
		body, ok := entries[c.Anchor]
		require.True(t, ok, "no entry for the column %s", c.Key)
		definition, rest, ok := strings.Cut(body, "*Can't see:* ")
		require.True(t, ok, "%s does not say what it can't see", c.Key)
		require.Greater(t, len(strings.TrimSpace(definition)), 20, "%s is not defined", c.Key)
		named := checkOf.FindStringSubmatch(rest)
		require.NotNil(t, named, "%s does not name its check", c.Key)
		require.True(t, checks[named[1]], "%s names a check that there is not: %s", c.Key, named[1])
		delete(entries, c.Anchor)
	}
	require.Empty(t, entries, "entries without a column")
	for name := range checks {
		require.Contains(t, string(page), "`"+name+"`", "the check %s computes nothing on the page", name)
	}
	for _, cause := range verifiers.Causes() {
		require.Contains(t, string(page), "*"+cause+"*", "the cause %s is not defined", cause)
	}
}

// TestExplainKnowsTheKindsThatReportsPointAt: the flags that a report's forms print are those that chaeos explain has, in the
// same order, and each stands for a kind of anomaly of its own.
func TestExplainKnowsTheKindsThatReportsPointAt(t *testing.T) {
	one := uint64(1)
	all := harness.Numbers{Duplicates: 1, Lost: 1, Torn: &one, AbortedSeen: &one, Phantom: 1, Unprocessed: 1, Hidden: 1}
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
