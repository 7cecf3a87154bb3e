package results

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/prose"
)

// defaultStalls is how many stalls a table lists unless Options asks for another number.
const defaultStalls = 5

// note is one line below the table: its kind, the pipeline it is about, and the text.
type note struct{ kind, about, text string }

// footnotes explains the rows: how a pipeline differs from the others, why a verdict is what it is, what caused
// duplicates and losses, what was not expected, and which transactions held the log back.
func footnotes(b *bytes.Buffer, r *harness.Report, gone sheet, opts Options) {
	if notes := append(leftOut(r.Rows, gone), notes(r, opts)...); len(notes) > 0 {
		b.WriteByte('\n')
		write(b, notes, opts.Width)
	}
	b.WriteByte('\n')
	for _, line := range limited(fmt.Sprintf("exit %d: %s", r.Exit, r.Why), opts.Width) {
		b.WriteString(line + "\n")
	}
	if opts.Verify != "" {
		fmt.Fprintf(b, "again   %s\n", opts.Verify)
	}
}

// Note is one remark on a report: its kind, the pipeline it is about ("" none), and the text.
type Note struct{ Kind, About, Text string }

// Notes lists everything that explains a report's rows: deviations, reasons, causes, surprises, stalls.
func Notes(r *harness.Report, opts Options) []Note {
	var out []Note
	for _, n := range notes(r, opts) {
		out = append(out, Note{n.kind, n.about, strings.TrimSpace(n.text)})
	}
	return out
}

func notes(r *harness.Report, opts Options) []note {
	var out []note
	for _, collect := range []func(*harness.Report) []note{deviations, limits, reasons, causes, proofs, notClaimed, remarks, surprises} {
		out = append(out, collect(r)...)
	}
	out = append(out, stalls(r, cmp.Or(opts.Stalls, defaultStalls))...)
	for i := range out {
		out[i].text = Short(out[i].text, r.Run)
	}
	return out
}

// write prints the kind and the subject only where they change, and texts in lines that fit width (0: no limit).
func write(b *bytes.Buffer, notes []note, width int) {
	kinds, abouts := 0, 0
	for _, n := range notes {
		kinds, abouts = max(kinds, len(n.kind)), max(abouts, len(n.about))
	}
	room := width - kinds - abouts - 4
	if room < leastRoom {
		room = 0
	}
	var before note
	for _, n := range notes {
		kind, about := n.kind, n.about
		if kind == before.kind {
			kind = ""
			if about == before.about {
				about = ""
			}
		}
		for i, line := range limited(n.text, room) {
			if i > 0 {
				kind, about = "", ""
			}
			b.WriteString(strings.TrimRight(fmt.Sprintf("%-*s  %-*s  %s", kinds, kind, abouts, about, line), " ") + "\n")
		}
		before = n
	}
}

// leastRoom is the narrowest column of text that is still worth wrapping.
const leastRoom = 24

func deviations(r *harness.Report) []note {
	var out []note
	for _, row := range r.Rows {
		if len(row.Deviations) > 0 {
			out = append(out, note{"deviation", row.Pipeline, strings.Join(row.Deviations, "; ")})
		}
	}
	return out
}

// reasons explains every claim that was violated or is inconclusive, and what the experiment expected of other
// guarantees. A pipeline that lacks what it neither claims nor is expected to give needs no explanation.
func reasons(r *harness.Report) []note {
	var out []note
	for _, why := range r.Inconclusive {
		out = append(out, note{"why", "every pipeline", "can't count as held: " + why})
	}
	for _, row := range r.Rows {
		for _, v := range row.Verdicts {
			if sameDoubts(row, v) {
				continue
			}
			if v.Verdict != harness.Held && (v.Guarantee == row.Claims || v.Expected != "") {
				out = append(out, explain(row.Pipeline, v, r.Inconclusive)...)
			}
		}
	}
	return out
}

// sameDoubts reports whether a verdict says nothing that the claim's doesn't: in-order is inconclusive wherever that is.
func sameDoubts(row harness.Row, v harness.GuaranteeVerdict) bool {
	return v.Guarantee == harness.InOrder && v.Verdict == harness.Inconclusive && row.Verdict(row.Claims) == harness.Inconclusive
}

// explain gives a verdict's reasons. Those of every pipeline have been given once.
func explain(pipeline string, v harness.GuaranteeVerdict, ofAll []string) []note {
	verdict := fmt.Sprintf("%s %s", v.Guarantee, v.Verdict)
	if v.Expected != "" {
		verdict += fmt.Sprintf(" (%s)", v.Expected)
	}
	own := slices.DeleteFunc(slices.Clone(v.Reasons), func(reason string) bool { return slices.Contains(ofAll, reason) })
	if len(own) == 0 {
		if len(v.Reasons) > 0 || len(ofAll) > 0 && v.Verdict == harness.Inconclusive {
			return nil
		}
		return []note{{"why", pipeline, verdict + ": no reason was recorded"}}
	}
	out := []note{{"why", pipeline, verdict + ": " + own[0]}}
	for _, reason := range own[1:] {
		out = append(out, note{"why", pipeline, "  " + reason})
	}
	return out
}

func causes(r *harness.Report) []note {
	var out []note
	for _, row := range r.Rows {
		n := row.Numbers
		if d := n.Count("duplicates"); d > 0 {
			text := fmt.Sprintf("%s of %s%s", prose.Plural(d, "duplicate"), prose.Plural(n.Count("duplicatedInputs"), "input"), by(n.ByCause("duplicatesBy")))
			out = append(out, note{"cause", row.Pipeline, text})
		}
		if lost := n.Count("lost"); lost > 0 {
			out = append(out, note{"cause", row.Pipeline, prose.Thousands(lost) + " lost" + by(n.ByCause("lostBy"))})
		}
		if absent := n.Count("ackedAbsent"); absent > 0 {
			out = append(out, note{"cause", row.Pipeline, prose.Thousands(absent) + " acked, absent from the input log (the source's fault)" + by(n.ByCause("ackedAbsentBy"))})
		}
	}
	return out
}

// by lists counts by cause, most frequent first.
func by(counts map[string]uint64) string {
	if len(counts) == 0 {
		return ""
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for i, name := range names {
		names[i] = prose.Thousands(counts[name]) + " " + name
	}
	return ": " + strings.Join(names, ", ")
}

// notClaimed names what the claim allows and the run did not show. It is never a stronger verdict than was claimed, and it is
// left out where a note counts records that the source doubled or lost.
func notClaimed(r *harness.Report) []note {
	var out []note
	for _, row := range r.Rows {
		held := row.Verdict(row.Claims) == harness.Held
		switch {
		case held && row.Claims == harness.AtLeastOnce && row.Numbers.Count("duplicates") == 0 && row.Numbers.Count("identityTwice") == 0:
			out = append(out, note{"not claimed", row.Pipeline, "no duplicates were seen"})
		case held && row.Claims == harness.AtMostOnce && row.Numbers.Count("lost") == 0 && row.Numbers.Count("ackedAbsent") == 0:
			out = append(out, note{"not claimed", row.Pipeline, "no losses were seen"})
		}
	}
	return out
}

func remarks(r *harness.Report) []note {
	var out []note
	for _, row := range r.Rows {
		for _, text := range row.Notes {
			out = append(out, note{"note", row.Pipeline, text})
		}
	}
	return out
}

func surprises(r *harness.Report) []note {
	var out []note
	for _, row := range r.Rows {
		for _, v := range row.Verdicts {
			if v.Surprise {
				text := fmt.Sprintf("%s %s, expected: %s", v.Guarantee, v.Verdict, cmp.Or(v.Expected, harness.MustHold))
				out = append(out, note{"surprise", row.Pipeline, text})
			}
		}
	}
	return out
}
