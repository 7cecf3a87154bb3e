package verifiers

import (
	"fmt"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
)

// limits decides what the experiment expects of a row's figures. A figure is never more than what is proved, so one beyond a
// limit proves that the limit is broken; one within it proves that only if nothing about the row is in doubt.
func limits(of []harness.Limit, n harness.Numbers, outcomes []kit.Outcome, doubts []string) []harness.LimitVerdict {
	doubt := doubtOf(outcomes, doubts)
	var all []harness.LimitVerdict
	for _, l := range of {
		v := harness.LimitVerdict{Limit: l.Text, Number: l.Number, Expected: l.Expected}
		value, known := figure(n, l.Number)
		infinite := harness.IsInfinite(l.Number, n)
		beyond := infinite || known && value > l.Most
		switch enough := infinite || known && value >= l.Most; {
		case !known && !infinite:
			v.Reason = "the figure does not apply or was not observed"
		case l.AtLeast && enough:
			v.Verdict = harness.Held
		case !l.AtLeast && beyond:
			v.Verdict = harness.Violated
		case doubt != "":
			v.Reason = doubt
		case l.AtLeast:
			v.Verdict = harness.Violated
		default:
			v.Verdict = harness.Held
		}
		v.Surprise = v.Expected == harness.MustHold && v.Verdict == harness.Violated || v.Expected == harness.MustBreak && v.Verdict == harness.Held
		all = append(all, v)
	}
	return all
}

// figure is a count, or a time in nanoseconds.
func figure(n harness.Numbers, key string) (value uint64, known bool) {
	switch v := n.Value(key).(type) {
	case uint64:
		return v, true
	case time.Duration:
		return uint64(v), true
	}
	return 0, false
}

// doubtOf is the first thing that is in doubt about a row, "" for none.
func doubtOf(outcomes []kit.Outcome, doubts []string) string {
	if len(doubts) > 0 {
		return doubts[0]
	}
	for _, o := range outcomes {
		for _, f := range o.Found {
			if f.Doubt || f.Internal {
				return f.Text
			}
		}
		if !o.Ran {
			return fmt.Sprintf("the check %s did not run", o.Check)
		}
	}
	return ""
}
