package results

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// faultLines writes one line for each fault: when it was active, from the start of the load; what it hit; what came of it.
func faultLines(b *bytes.Buffer, r *harness.Report, width int) {
	if len(r.Faults) == 0 {
		b.WriteString("fault  none\n")
		return
	}
	long := func(f harness.FaultRecord) bool { return utf8.RuneCountInString(hit(f)) > longHit }
	if width > 0 || slices.ContainsFunc(r.Faults, long) {
		write(b, faultNotes(r), width)
		return
	}
	lines := columnar(b)
	for _, f := range r.Faults {
		fmt.Fprintf(lines, "fault\t%s\t%s\t%s\n", active(f, loadStart(r)), hit(f), outcome(f))
	}
	flush(lines)
}

// longHit is the length from which on what a fault hit has a line of its own: all lines are as wide as the longest.
const longHit = 100

// FaultLines returns one line for each fault: when it was active, from the start of the load; what it hit; what came of it.
func FaultLines(r *harness.Report) []string {
	var lines []string
	for _, f := range r.Faults {
		lines = append(lines, fmt.Sprintf("%s, %s: %s", active(f, loadStart(r)), hit(f), outcome(f)))
	}
	return lines
}

// faultNotes returns the same lines for a narrow terminal: what came of a fault goes below what it hit.
func faultNotes(r *harness.Report) []note {
	var out []note
	for _, f := range r.Faults {
		when := active(f, loadStart(r))
		out = append(out, note{"fault", when, hit(f)}, note{"fault", when, "  " + outcome(f)})
	}
	return out
}

// active is the time between injection and heal, or the planned time where the fault was never injected.
func active(f harness.FaultRecord, start history.Time) string {
	switch {
	case f.Injected == 0:
		return seconds(f.At) + ".." + seconds(f.At+f.For)
	case f.Healed == 0:
		return seconds(f.Injected.Sub(start)) + "..?"
	default:
		return seconds(f.Injected.Sub(start)) + ".." + seconds(f.Healed.Sub(start))
	}
}

func hit(f harness.FaultRecord) string {
	name := f.Fault
	if f.Options != "" {
		name += " (" + f.Options + ")"
	}
	what := f.Resolved.Text
	if what == "" {
		what = f.Target
	}
	if f.Saw != "" {
		what += ", " + f.Saw
	}
	return name + ": " + what
}

func outcome(f harness.FaultRecord) string {
	var parts []string
	if f.Injected == 0 {
		parts = append(parts, "never injected")
	} else {
		parts = append(parts, tookEffect(f))
	}
	if f.Reaction != "" {
		parts = append(parts, "reaction: "+f.Reaction)
	}
	if text := lasting(f.Lasting); text != "" {
		parts = append(parts, "stays: "+text)
	}
	switch {
	case f.Injected != 0 && f.Healed == 0:
		parts = append(parts, "not healed")
	case f.HealProof != "":
		parts = append(parts, "healed: "+f.HealProof)
	}
	if f.Error != "" {
		parts = append(parts, "error: "+f.Error)
	}
	return strings.Join(parts, "; ")
}

// lasting counts what no heal undoes, by its kind: "3 x log cut".
func lasting(all []harness.Lasting) string {
	count := map[string]int{}
	for _, l := range all {
		count[l.What]++
	}
	var parts []string
	for _, what := range slices.Sorted(maps.Keys(count)) {
		parts = append(parts, fmt.Sprintf("%d x %s", count[what], what))
	}
	return strings.Join(parts, ", ")
}

// tookEffect names the pipelines on which the fault took effect, and those on which it should have and did not.
func tookEffect(f harness.FaultRecord) string {
	var on, not []string
	for _, proof := range f.Proofs {
		switch {
		case proof.TookEffect:
			on = append(on, proof.Pipeline)
		case f.Concerns(proof.Pipeline):
			not = append(not, proof.Pipeline)
		}
	}
	switch {
	case len(f.Proofs) == 0:
		return "whether it took effect was not observed"
	case len(on) == 0:
		return "did not take effect"
	case len(on) == len(f.Proofs):
		return "took effect"
	case len(not) == 0:
		return "took effect on " + strings.Join(on, ", ")
	default:
		return "took effect on " + strings.Join(on, ", ") + ", not on " + strings.Join(not, ", ")
	}
}

// loadStart is the schedule's zero.
func loadStart(r *harness.Report) history.Time { return history.Time(r.LoadStart) }

// columnar aligns tab-separated cells two spaces apart.
func columnar(b *bytes.Buffer) *tabwriter.Writer { return tabwriter.NewWriter(b, 0, 0, 2, ' ', 0) }

// flush can't fail: the writer below is a buffer.
func flush(lines *tabwriter.Writer) { _ = lines.Flush() }
