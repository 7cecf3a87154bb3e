package results

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
)

// limits says of every limit that the experiment sets to a figure what the figure is, and what came of it.
func limits(r *harness.Report) (out []note) {
	for _, row := range r.Rows {
		for _, l := range row.Limits {
			text := fmt.Sprintf("%s: %s%s; it is %s", l.Limit, limitWord(l), limitRemark(l), figureText(row, l.Number))
			if l.Reason != "" {
				text += ", and " + l.Reason
			}
			out = append(out, note{"limit", row.Pipeline, text})
		}
	}
	return out
}

// limitWord is what came of a limit in a word.
func limitWord(l harness.LimitVerdict) string {
	if l.Verdict == harness.Violated {
		return "broken"
	}
	return l.Verdict.String()
}

// limitRemark tells what was expected from what was not.
func limitRemark(l harness.LimitVerdict) string {
	switch {
	case l.Surprise && l.Expected == harness.MustBreak:
		return OutcomeUnexpected.Remark()
	case l.Verdict == harness.Violated && l.Expected == harness.MustBreak:
		return OutcomeWanted.Remark()
	case l.Verdict == harness.Violated && l.Expected == harness.MayBreak:
		return OutcomeAllowed.Remark()
	case l.Surprise:
		return ", and must hold"
	}
	return ""
}

// figureText is one of a row's figures as tables print it.
func figureText(row harness.Row, key string) string {
	for _, c := range Columns() {
		if c.Key == key {
			return c.Text(row)
		}
	}
	return "–"
}
