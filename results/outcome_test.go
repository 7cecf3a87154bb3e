package results_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/results"
)

// TestOutcomes: each verdict against each expectation, in a word and in a colour. What was wanted never looks like what was not.
func TestOutcomes(t *testing.T) {
	for _, c := range []struct {
		expected harness.Expectation
		verdict  harness.Verdict
		outcome  results.Outcome
		shown    string
	}{
		{"", harness.Held, results.OutcomeHeld, "\x1b[32mat-least-once\x1b[0m"},
		{harness.MustHold, harness.Held, results.OutcomeHeld, "\x1b[32mat-least-once\x1b[0m"},
		{harness.MayBreak, harness.Held, results.OutcomeHeld, "\x1b[32mat-least-once\x1b[0m"},
		{harness.MustBreak, harness.Held, results.OutcomeUnexpected, "\x1b[33mat-least-once, but must break\x1b[0m"},
		{"", harness.Violated, results.OutcomeViolated, "\x1b[31mviolated\x1b[0m"},
		{harness.MustHold, harness.Violated, results.OutcomeViolated, "\x1b[31mviolated\x1b[0m"},
		{harness.MayBreak, harness.Violated, results.OutcomeAllowed, "\x1b[36mviolated, as allowed\x1b[0m"},
		{harness.MustBreak, harness.Violated, results.OutcomeWanted, "\x1b[36mviolated, as expected\x1b[0m"},
		{harness.MustHold, harness.Inconclusive, results.OutcomeInconclusive, "\x1b[33minconclusive\x1b[0m"},
		{harness.MustBreak, harness.Inconclusive, results.OutcomeInconclusive, "\x1b[33minconclusive\x1b[0m"},
	} {
		r := clean()
		row := &r.Rows[0]
		row.Verdicts[0].Expected, row.Verdicts[0].Verdict = c.expected, c.verdict
		if c.verdict != harness.Held {
			row.Delivered = c.verdict.String()
		}
		require.Equal(t, c.outcome, results.OutcomeOf(*row), "%s, %s", c.expected, c.verdict)
		var b bytes.Buffer
		require.NoError(t, results.Table(&b, r, results.Options{Color: true}))
		require.Contains(t, b.String(), c.shown, "%s, %s", c.expected, c.verdict)
	}
}
