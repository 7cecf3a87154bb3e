package verifiers

import (
	"fmt"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/saved"
)

// wording quotes what each guarantee promises in public, and where in Kafka's documentation.
var wording = map[harness.Guarantee]string{
	harness.AtMostOnce:  `"Messages may be lost but are never redelivered" (Kafka documentation, Message Delivery Semantics)`,
	harness.AtLeastOnce: `"Messages are never lost but may be redelivered" (Kafka documentation, Message Delivery Semantics)`,
	harness.ExactlyOnce: `"each message is delivered once and only once" (Kafka documentation, Message Delivery Semantics)`,
	harness.InOrder: `"exactly one copy of each message is written in the stream", "with message ordering preserved" ` +
		`(Kafka documentation, enable.idempotence)`,
}

// verdicts decides every guarantee that the row claims, that the experiment expects something of, or that is weaker
// than exactly-once. In-order is decided where it is claimed or expected, and where brokers broke what they promise every
// idempotent producer.
func verdicts(r *saved.Run, layout harness.PipelineLayout, outcomes []kit.Outcome) []harness.GuaranteeVerdict {
	var all []harness.GuaranteeVerdict
	expected := r.Record.Expect[layout.Name]
	for _, g := range harness.Guarantees() {
		want, named := expected[g]
		if g == layout.Claims && !named {
			want = harness.MustHold
		}
		if g == harness.InOrder && !named && (layout.ClaimsOrder() || brokenByBrokers(outcomes)) {
			want = harness.MustHold
		}
		if (g == harness.ExactlyOnce || g == harness.InOrder) && want == "" {
			continue
		}
		v := decide(g, outcomes, slices.Concat(r.Doubts, r.DoubtsOf[layout.Name]))
		if g == harness.InOrder && !named && v.Verdict == harness.Inconclusive && expected[layout.Claims] == harness.MayBreak {
			want = harness.MayBreak // what keeps the claim open does not decide the run by way of the order
		}
		v.Expected = want
		v.Surprise = want == harness.MustHold && v.Verdict == harness.Violated || want == harness.MustBreak && v.Verdict == harness.Held
		all = append(all, v)
	}
	return all
}

func brokenByBrokers(outcomes []kit.Outcome) bool {
	return slices.ContainsFunc(outcomes, func(o kit.Outcome) bool {
		return slices.ContainsFunc(o.Found, func(f kit.Finding) bool { return f.Brokers })
	})
}

// decide: a proof of violation wins over missing evidence, missing evidence over held. Figures that contradict each other
// prove nothing. Held is earned: every check ran to its end, and none found anything against it.
func decide(g harness.Guarantee, outcomes []kit.Outcome, doubts []string) harness.GuaranteeVerdict {
	v := harness.GuaranteeVerdict{Guarantee: g}
	var broken, internal []string
	for _, o := range outcomes {
		unsaid := !o.Ran
		for _, f := range o.Found {
			switch {
			case f.Internal:
				internal = append(internal, f.Text)
			case slices.Contains(f.Breaks, g):
				broken = append(broken, f.Text)
			case f.Doubt:
				doubts = append(doubts, f.Text)
			}
			unsaid = unsaid && !f.NotRun
		}
		if unsaid {
			doubts = append(doubts, fmt.Sprintf("the check %s did not run", o.Check))
		}
	}
	if len(outcomes) == 0 {
		doubts = append(doubts, "no check ran")
	}
	switch {
	case len(internal) > 0:
		v.Reasons = internal
	case len(broken) > 0:
		v.Verdict = harness.Violated
		v.Reasons = append([]string{fmt.Sprintf("%s promises %s", g, wording[g])}, broken...)
		v.Reasons = append(v.Reasons, doubts...)
	case len(doubts) > 0:
		v.Reasons = doubts
	default:
		v.Verdict = harness.Held
	}
	return v
}

// delivered is what the row showed of its claim, never more than was claimed.
func delivered(row harness.Row) string {
	if v := row.Verdict(row.Claims); v != harness.Held {
		return v.String()
	}
	return string(row.Claims)
}

// exit decides the run's exit code: 3 a guarantee that must hold was violated, 4 one that decides is inconclusive, one
// that must break held, or the whole run is in doubt, 0 otherwise.
func exit(report *harness.Report) (code int, why string) {
	code, why = 0, "every claim came out as expected"
	worse := func(c int, text string) {
		if code == 0 || c < code {
			code, why = c, text
		}
	}
	if len(report.Inconclusive) > 0 {
		worse(4, "the run is inconclusive: "+report.Inconclusive[0])
	}
	for _, row := range report.Rows {
		for _, v := range row.Verdicts {
			switch {
			case v.Expected != harness.MustHold && v.Expected != harness.MustBreak:
			case v.Verdict == harness.Inconclusive:
				worse(4, fmt.Sprintf("%s: %s is inconclusive", row.Pipeline, v.Guarantee))
			case v.Surprise && v.Expected == harness.MustHold:
				worse(3, fmt.Sprintf("%s: %s must hold and was violated", row.Pipeline, v.Guarantee))
			case v.Surprise:
				worse(4, fmt.Sprintf("%s: %s must break and held", row.Pipeline, v.Guarantee))
			}
		}
		for _, l := range row.Limits {
			switch {
			case l.Expected == harness.MayBreak:
			case l.Verdict == harness.Inconclusive:
				worse(4, fmt.Sprintf("%s: whether %s is not known: %s", row.Pipeline, l.Limit, l.Reason))
			case l.Surprise && l.Expected == harness.MustHold:
				worse(3, fmt.Sprintf("%s: %s must hold and does not", row.Pipeline, l.Limit))
			case l.Surprise:
				worse(4, fmt.Sprintf("%s: %s must break and held", row.Pipeline, l.Limit))
			}
		}
	}
	return code, why
}
