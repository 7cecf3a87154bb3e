package results

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// PipelinePage is what can be said about a pipeline before it runs.
type PipelinePage struct {
	Name, About, Claims, Breaks, Costs string
	Deviations                         []string
	Settings                           []PipelineSetting
	// HoldsRebalances reports that no partition is revoked between a poll and the end of its work.
	HoldsRebalances bool
	Options         []PipelineOption
	Loop            string
}

// PipelineSetting is one line of a configuration in Kafka's own property names; Default is the client library's own
// value where it is another.
type PipelineSetting struct{ Client, Name, Value, Default string }

// PipelineOption is a setting that an experiment can change.
type PipelineOption struct{ Name, Default, About string }

// Pipeline writes the page for people.
func Pipeline(w io.Writer, p PipelinePage) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n", p.Name, p.About)
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "claims\t%s\n", p.Claims)
	fmt.Fprintf(table, "breaks\t%s\n", p.Breaks)
	fmt.Fprintf(table, "costs\t%s\n", p.Costs)
	for i, d := range p.Deviations {
		fmt.Fprintf(table, "%s\t%s\n", onlyFirst("is special", i), d)
	}
	_ = table.Flush() // a strings.Builder never fails
	b.WriteString("\nconfiguration (>: not the client library's default)\n")
	p.settings(&b)
	if p.HoldsRebalances {
		b.WriteString("  rebalances are held back from a poll to the end of its work\n")
	}
	if len(p.Options) > 0 {
		b.WriteString("\noptions (of an experiment's options:)\n")
		table = tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		for _, o := range p.Options {
			fmt.Fprintf(table, "  %s\t%s\t%s\n", o.Name, o.Default, o.About)
		}
		_ = table.Flush() // a strings.Builder never fails
	}
	b.WriteString("\nloop (-- phase --: where a trigger can stop it)\n")
	for line := range strings.Lines(p.Loop + "\n") {
		b.WriteString("  " + line)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (p PipelinePage) settings(b *strings.Builder) {
	client := ""
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, s := range p.Settings {
		if s.Client != client {
			client = s.Client
			fmt.Fprintf(table, "  %s\n", s.Client)
		}
		if s.Default == "" {
			fmt.Fprintf(table, "  \t%s\t%s\n", s.Name, s.Value)
			continue
		}
		fmt.Fprintf(table, "  >\t%s\t%s\t(default: %s)\n", s.Name, s.Value, s.Default)
	}
	_ = table.Flush() // a strings.Builder never fails
}

func onlyFirst(text string, i int) string {
	if i > 0 {
		return ""
	}
	return text
}
