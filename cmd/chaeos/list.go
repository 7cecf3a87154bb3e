package main

import (
	"bytes"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/chaeos/chaeos/cmd/chaeos/usage"
	"github.com/chaeos/chaeos/results"
)

func (a *app) listCommand() *cobra.Command {
	list := &cobra.Command{
		Use:   "list [faults|targets]",
		Short: "List the named experiments, the faults, or the ways to write a target, one line each",
		Args:  subcommand,
		RunE: func(*cobra.Command, []string) error {
			all, err := a.parts.experiments()
			if err != nil {
				return err
			}
			return results.ListExperiments(a.stdout, all)
		},
	}
	list.AddCommand(&cobra.Command{
		Use:   "faults [FAULT]",
		Short: "List the faults with what each does, or one with its options",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listFaults()
			}
			if err := usage.OneOf("fault", args[0], a.faultNames()); err != nil {
				return err
			}
			k, _ := a.fault(args[0]) // it is one of them
			_, err := io.WriteString(a.stdout, k.text())
			return err
		},
	}, &cobra.Command{
		Use:   "targets",
		Short: "List the ways to say what a fault hits",
		Args:  noArgs,
		RunE:  func(*cobra.Command, []string) error { return a.listTargets() },
	})
	return list
}

func (a *app) listFaults() error {
	var b bytes.Buffer
	lines := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, k := range a.parts.byHand.kinds {
		fmt.Fprintf(lines, "%s\t%s\n", k.name, k.about)
	}
	_ = lines.Flush() // the writer below is in memory
	_, err := a.stdout.Write(b.Bytes())
	return err
}

func (a *app) listTargets() error {
	for _, t := range a.parts.byHand.targets {
		if _, err := io.WriteString(a.stdout, t+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// fault returns the description of a fault, by its name.
func (a *app) fault(name string) (faultHelp, bool) {
	for _, k := range a.parts.byHand.kinds {
		if k.name == name {
			return k, true
		}
	}
	return faultHelp{}, false
}

// text describes a fault: what it does, what it hits, its options.
func (k faultHelp) text() string {
	var b bytes.Buffer
	lines := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(&b, "%s: %s\n\nhits %s (chaeos list targets shows how to write them)\n", k.name, k.about, k.hits)
	for i, o := range k.options {
		if i == 0 {
			fmt.Fprintf(lines, "\noptions\n")
		}
		fmt.Fprintf(lines, "  %s\t%s\n", o[0], o[1])
	}
	_ = lines.Flush()
	return b.String()
}
