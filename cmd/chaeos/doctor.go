package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/chaeos/chaeos/cmd/chaeos/provider"
	"github.com/spf13/cobra"

	"github.com/chaeos/chaeos/results"
)

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

func printFacts(w io.Writer, facts []provider.Fact, asJSON bool) error {
	if asJSON {
		return results.EncodeJSON(w, facts)
	}
	var b strings.Builder
	lines := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, f := range facts {
		fmt.Fprintf(lines, "%s\t%s\t%s\n", f.Name, answer(f), f.Found)
		if !f.OK && f.Mend != "" {
			fmt.Fprintf(lines, "\t\tfix it with: %s\n", f.Mend)
		}
	}
	_ = lines.Flush() // the writer below is in memory
	_, err := io.WriteString(w, b.String())
	return err
}

func answer(f provider.Fact) string {
	switch {
	case f.OK:
		return "yes"
	case f.Optional:
		return "no, not needed"
	default:
		return "no"
	}
}
