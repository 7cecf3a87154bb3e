package catalogue

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/chaeos/chaeos/harness"
)

// Show writes a concrete experiment for people: the same for the same seed.
func Show(exp harness.Experiment, seed uint64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, seed %d: %s\n", exp.Name, seed, exp.Summary)
	if exp.About != "" {
		fmt.Fprintf(&b, "\n%s\n", exp.About)
	}
	b.WriteString("\n")
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range [][2]string{
		{"pipelines", strings.Join(exp.Pipelines, ", ")},
		{"load", loadText(exp.Load)},
		{"workers", fmt.Sprintf("%d a pipeline", exp.Workers)},
		{"clients", sharedText(exp.Shared)},
		{"cluster", clusterText(exp.Cluster)},
	} {
		fmt.Fprintf(table, "%s\t%s\n", row[0], row[1])
	}
	faultRows(table, exp.Faults)
	expectRows(table, exp)
	_ = table.Flush() // a strings.Builder never fails
	return b.String()
}

func loadText(l harness.Load) string {
	text := fmt.Sprintf("%v records/s of %d B for %s", l.Rate, l.RecordSize, l.Duration)
	if l.Burst > 0 {
		text += fmt.Sprintf(", %d more at once every %s", l.Burst, l.BurstEvery)
	}
	return text
}

func sharedText(s harness.Shared) string {
	return fmt.Sprintf("work %s a record, polls of %d, session timeout %s, transaction timeout %s, auto-commit every %s",
		s.Work, s.MaxPollRecords, s.SessionTimeout, s.TransactionTimeout, s.AutoCommitInterval)
}

func clusterText(c harness.ClusterNeeds) string {
	partitions := "partitions"
	if c.Partitions == 1 {
		partitions = "partition"
	}
	text := fmt.Sprintf("%s, %d %s, min ISR %d", c.Topology, c.Partitions, partitions, c.MinISR)
	if c.Kafka != "" {
		text += ", Kafka " + c.Kafka
	}
	for _, f := range c.Features {
		text += fmt.Sprintf(", %s %d", f.Name, f.Level)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Properties)) {
		text += fmt.Sprintf(", %s=%s", name, c.Properties[name])
	}
	return text
}

func faultRows(table *tabwriter.Writer, faults []harness.ScheduledFault) {
	if len(faults) == 0 {
		fmt.Fprintf(table, "faults\tnone\n")
	}
	for i, f := range faults {
		head := "faults"
		if i > 0 {
			head = ""
		}
		fmt.Fprintf(table, "%s\t%s\n", head, faultText(f))
	}
}

func faultText(f harness.ScheduledFault) string {
	var b strings.Builder
	if f.Label != "" {
		fmt.Fprintf(&b, "%s, ", f.Label)
	}
	fmt.Fprintf(&b, "at %s", f.At)
	if f.When != nil {
		fmt.Fprintf(&b, ", when %s (within %s%s)", f.When.Trigger, f.When.Within, whenText(*f.When))
	}
	fmt.Fprintf(&b, " for %s", f.For)
	if f.HealWhen != nil {
		fmt.Fprintf(&b, " at most, until %s%s", f.HealWhen.Trigger, parenthesised(whenText(*f.HealWhen)))
	}
	fmt.Fprintf(&b, ": %s on %s", f.Name, f.Target)
	if options := fmt.Sprint(f.Fault); options != "" {
		fmt.Fprintf(&b, " (%s)", options)
	}
	if len(f.AimsAt) > 0 {
		fmt.Fprintf(&b, ", aimed at %s", strings.Join(f.AimsAt, " and "))
	}
	return b.String()
}

// whenText is what is special about a trigger, each part with a comma before it.
func whenText(w harness.When) (text string) {
	if w.Delay > 0 {
		text += fmt.Sprintf(", %s later", w.Delay)
	}
	if w.HoldToHeal {
		text += ", waiting until the heal"
	}
	return text
}

func parenthesised(text string) string {
	if text == "" {
		return ""
	}
	return " (" + strings.TrimPrefix(text, ", ") + ")"
}

// expectRows lists what is expected, claims that are not named included: they must hold.
func expectRows(table *tabwriter.Writer, exp harness.Experiment) {
	head := "expect"
	for _, info := range pipelines() {
		if !slices.Contains(exp.Pipelines, info.Name) {
			continue
		}
		var texts []string
		for _, g := range harness.Guarantees() {
			expectation, named := exp.Expect[info.Name][g]
			if !named && (g == info.Claims || g == harness.InOrder && info.ClaimsOrder()) {
				expectation = harness.MustHold
			}
			if expectation != "" {
				texts = append(texts, fmt.Sprintf("%s %s", g, expectation))
			}
		}
		for _, l := range exp.Limits[info.Name] {
			texts = append(texts, fmt.Sprintf("%s %s", l.Text, l.Expected))
		}
		fmt.Fprintf(table, "%s\t%s: %s\n", head, info.Name, strings.Join(texts, ", "))
		head = ""
	}
	if named, limits := exp.Expect[harness.SourceRow], exp.Limits[harness.SourceRow]; len(named)+len(limits) > 0 {
		var texts []string
		for _, g := range slices.Sorted(maps.Keys(named)) {
			texts = append(texts, fmt.Sprintf("%s %s", g, named[g]))
		}
		for _, l := range limits {
			texts = append(texts, fmt.Sprintf("%s %s", l.Text, l.Expected))
		}
		fmt.Fprintf(table, "%s\t%s: %s\n", head, harness.SourceRow, strings.Join(texts, ", "))
	}
}
