package results

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// faultLines writes one line a fault: when it was active, from the start of the load; what it hit; and what came of it.
func faultLines(b *bytes.Buffer, r *harness.Report, width int) {
	if len(r.Faults) == 0 {
		b.WriteString("fault  none\n")
		return
	}
	if width > 0 {
		write(b, faultNotes(r), width)
		return
	}
	lines := columnar(b)
	for _, f := range r.Faults {
		fmt.Fprintf(lines, "fault\t%s\t%s\t%s\n", active(f, loadStart(r)), hit(f), outcome(f))
	}
	flush(lines)
}

// FaultLines says of each fault when it was active, from the start of the load, what it hit, and what came of it.
func FaultLines(r *harness.Report) []string {
	var lines []string
	for _, f := range r.Faults {
		lines = append(lines, fmt.Sprintf("%s, %s: %s", active(f, loadStart(r)), hit(f), outcome(f)))
	}
	return lines
}

// faultNotes are the same lines for a narrow terminal: what came of a fault goes below what it hit.
func faultNotes(r *harness.Report) []note {
	var out []note
	for _, f := range r.Faults {
		when := active(f, loadStart(r))
		out = append(out, note{"fault", when, hit(f)}, note{"fault", when, "  " + outcome(f)})
	}
	return out
}

// active is the time between injection and heal as it was, or as planned where it never came to be.
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
		parts = append(parts, bites(f))
	}
	if f.Reaction != "" {
		parts[0] += ": " + f.Reaction
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

// bites says whom the fault hit: everyone, no one, or whom and whom not.
func bites(f harness.FaultRecord) string {
	var bit, not []string
	for _, bite := range f.Proofs {
		if bite.TookEffect {
			bit = append(bit, bite.Pipeline)
		} else {
			not = append(not, bite.Pipeline)
		}
	}
	switch {
	case len(f.Proofs) == 0:
		return "whether it bit was not observed"
	case len(not) == 0:
		return "bit"
	case len(bit) == 0:
		return "did not bite"
	default:
		return "bit " + strings.Join(bit, ", ") + ", not " + strings.Join(not, ", ")
	}
}

// loadStart is the schedule's zero.
func loadStart(r *harness.Report) history.Time { return history.Time(r.LoadStart) }

// columnar aligns tab-separated cells two spaces apart.
func columnar(b *bytes.Buffer) *tabwriter.Writer { return tabwriter.NewWriter(b, 0, 0, 2, ' ', 0) }

// flush can't fail: the writer below is a buffer.
func flush(lines *tabwriter.Writer) { _ = lines.Flush() }
