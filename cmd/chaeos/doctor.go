package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/chaeos/chaeos/results"
)

// fact is one thing that a run needs of this machine.
type fact struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	// Optional reports whether a run can do without it.
	Optional bool `json:"optional,omitempty"`
	// Provider is the one that needs it ("" all).
	Provider string `json:"ground,omitempty"`
	// Found is what there is, in a few words.
	Found string `json:"found"`
	// Mend is the command to type, or what to do, when OK is false.
	Mend string `json:"mend,omitempty"`
}

func (a *app) doctorCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Show what this machine can run, and the command that fixes what is missing",
		Long: `Show what this machine can run: clusters of local processes, clusters of containers, and what either lacks. Exit code 1:
something is missing without which no run is possible.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			facts := a.parts.facts(c.Context())
			if err := printFacts(a.stdout, facts, asJSON); err != nil {
				return err
			}
			for _, f := range facts {
				if !f.OK && !f.Optional {
					return outcome(exitInfrastructure)
				}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func printFacts(w io.Writer, facts []fact, asJSON bool) error {
	if asJSON {
		return results.EncodeJSON(w, facts)
	}
	var b strings.Builder
	lines := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, f := range facts {
		fmt.Fprintf(lines, "%s\t%s\t%s\n", f.Name, f.answer(), f.Found)
		if !f.OK && f.Mend != "" {
			fmt.Fprintf(lines, "\t\tfix it with: %s\n", f.Mend)
		}
	}
	_ = lines.Flush() // the writer below is in memory
	_, err := io.WriteString(w, b.String())
	return err
}

func (f fact) answer() string {
	switch {
	case f.OK:
		return "yes"
	case f.Optional:
		return "no, not needed"
	default:
		return "no"
	}
}
