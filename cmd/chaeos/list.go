package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/chaeos/chaeos/cmd/chaeos/usage"
	"github.com/chaeos/chaeos/results"
)

func (a *app) listCommand() *cobra.Command {
	list := &cobra.Command{
		Use:   "list [experiments|pipelines|suites|faults|targets|triggers]",
		Short: "List the named experiments, or what experiments are made of, one line each",
		Args:  subcommand,
		RunE:  func(*cobra.Command, []string) error { return a.listExperiments() },
	}
	for _, sub := range []struct {
		name, short string
		do          func() error
	}{
		{"experiments", "List the named experiments, as list alone does", a.listExperiments},
		{"pipelines", "List the pipelines with what each claims and is", a.listPipelines},
		{"suites", "List the suites with the experiments of each", a.listSuites},
		{"triggers", "List what a fault can wait for other than a time", a.listTriggers},
		{"targets", "List the ways to say what a fault hits", a.listTargets},
	} {
		list.AddCommand(&cobra.Command{
			Use: sub.name, Short: sub.short, Args: noArgs,
			RunE: func(*cobra.Command, []string) error { return sub.do() },
		})
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
	})
	return list
}

func (a *app) listExperiments() error {
	all, err := a.parts.experiments()
	if err != nil {
		return err
	}
	return results.ListExperiments(a.stdout, all)
}

func (a *app) listPipelines() error {
	var rows [][]string
	for _, p := range a.parts.pipelines {
		rows = append(rows, []string{p.Name, string(p.Claims), p.About})
	}
	return a.listRows(rows)
}

func (a *app) listSuites() error {
	var rows [][]string
	for _, name := range a.parts.suites.names {
		of, repeat, err := a.parts.suites.find(name)
		if err != nil {
			return err
		}
		count := fmt.Sprintf("%d experiments", len(of))
		if repeat > 1 {
			count += fmt.Sprintf(", %d seeds each", repeat)
		}
		rows = append(rows, []string{name, count, strings.Join(of, ", ")})
	}
	return a.listRows(rows)
}

func (a *app) listTriggers() error { return a.listRows(a.parts.triggers) }

func (a *app) listFaults() error {
	var rows [][]string
	for _, k := range a.parts.byHand.kinds {
		rows = append(rows, []string{k.name, k.about})
	}
	return a.listRows(rows)
}

// listRows prints one line each, in columns.
func (a *app) listRows(rows [][]string) error {
	var b bytes.Buffer
	lines := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(lines, strings.Join(row, "\t"))
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
