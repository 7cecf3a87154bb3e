package results

import (
	"cmp"
	"slices"

	"github.com/chaeos/chaeos/harness"
)

// Outcome is how a verdict on a claim compares with what the experiment expects of it.
type Outcome string

// The outcomes. As names they are also the classes of the HTML page.
const (
	// OutcomeHeld: the claim held, as it must or may.
	OutcomeHeld Outcome = "held"
	// OutcomeViolated: the claim must hold, and did not.
	OutcomeViolated Outcome = "violated"
	// OutcomeWanted: the claim must break, and did: the experiment is there to show it.
	OutcomeWanted Outcome = "wanted"
	// OutcomeAllowed: the claim may break, and did.
	OutcomeAllowed Outcome = "allowed"
	// OutcomeUnexpected: the claim must break, and held: the experiment showed nothing.
	OutcomeUnexpected Outcome = "unexpected"
	// OutcomeInconclusive: nothing was proved.
	OutcomeInconclusive Outcome = "inconclusive"
)

// OutcomeOf compares the verdict on a row's claim with what is expected of it.
func OutcomeOf(row harness.Row) Outcome { return outcomeOf(row.Verdict(row.Claims), expected(row)) }

// OutcomeOfVerdict compares a verdict with what is expected of it: a guarantee that the experiment does not name must hold.
func OutcomeOfVerdict(v harness.GuaranteeVerdict) Outcome {
	return outcomeOf(v.Verdict, cmp.Or(v.Expected, harness.MustHold))
}

func outcomeOf(verdict harness.Verdict, expected harness.Expectation) Outcome {
	switch {
	case verdict == harness.Inconclusive:
		return OutcomeInconclusive
	case verdict == harness.Held && expected == harness.MustBreak:
		return OutcomeUnexpected
	case verdict == harness.Held:
		return OutcomeHeld
	case expected == harness.MustBreak:
		return OutcomeWanted
	case expected == harness.MayBreak:
		return OutcomeAllowed
	default:
		return OutcomeViolated
	}
}

// Remark is what is added to a verdict to tell what was expected from what was not ("" nothing).
func (o Outcome) Remark() string {
	return map[Outcome]string{OutcomeWanted: ", as expected", OutcomeAllowed: ", as allowed", OutcomeUnexpected: ", but must break"}[o]
}

// expected is what the experiment expects of a row's claim: one that it does not name must hold.
func expected(row harness.Row) harness.Expectation {
	for _, v := range row.Verdicts {
		if v.Guarantee == row.Claims {
			return cmp.Or(v.Expected, harness.MustHold)
		}
	}
	return harness.MustHold
}

// surprised reports whether anything came out otherwise than the experiment expects, of the claim, of another guarantee or of a limit.
func surprised(row harness.Row) bool {
	return slices.ContainsFunc(row.Verdicts, func(v harness.GuaranteeVerdict) bool { return v.Surprise }) ||
		slices.ContainsFunc(row.Limits, func(l harness.LimitVerdict) bool { return l.Surprise })
}

// The colours of an outcome on a terminal, as ANSI escape codes: of the eight that every theme keeps readable.
const (
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	cyan   = "\x1b[36m"
	reset  = "\x1b[0m"
)

// paint colours the cell that says what a pipeline delivered. Only a violation that was not wanted is red.
func paint(row harness.Row, text string) string {
	color := map[Outcome]string{OutcomeHeld: green, OutcomeViolated: red, OutcomeWanted: cyan, OutcomeAllowed: cyan}[OutcomeOf(row)]
	return cmp.Or(color, yellow) + text + reset
}
