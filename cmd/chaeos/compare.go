package main

import (
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/chaeos/chaeos/cmd/chaeos/usage"
	"github.com/chaeos/chaeos/results"
)

func (a *app) compareCommand() *cobra.Command {
	var json bool
	var output string
	var opts results.CompareOptions
	c := &cobra.Command{
		Use:   "compare A B [C...]",
		Short: "Set saved runs, or folders of runs, against the first: what changed",
		Long: `Judge saved runs again and show what differs between each side and the first: verdicts, then figures. A side is one run's
folder, or a folder of runs. Only repeated runs tell noise from change: a difference inside the spread of the runs is
none, and with one run a side chaeos can't tell.

Verdicts are judged by what the experiment expects. Exit code 3: a claim that must hold is violated, and was not on the first
side. Exit code 4: nothing was proved, because a side is inconclusive, shows nothing of a claim that must break, or has no
pipeline of the same experiment in common with the others.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usage.Errorf("compare takes at least two runs, or folders of runs, and was given %d", len(args))
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if json && opts.Markdown {
				return usage.Errorf("--json and --markdown exclude each other: a comparison has one form")
			}
			if output == "" {
				opts.Width = a.display.Width
			}
			comparison, err := a.compare(args)
			if err != nil {
				return err
			}
			if err := a.deliver(output, func(w io.Writer) error { return writeComparison(w, comparison, json, opts) }); err != nil {
				return err
			}
			switch {
			case comparison.Worse():
				return outcome(exitViolated)
			case comparison.Unproved():
				return outcome(exitInconclusive)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&json, "json", false, "print the comparison as JSON")
	c.Flags().BoolVar(&opts.Markdown, "markdown", false, "print GitHub-flavoured Markdown")
	c.Flags().BoolVar(&opts.All, "all", false, "also list the differences that lie within the spread")
	c.Flags().StringVarP(&output, "output", "o", "", "write to this file, whole or not at all, or into this pipe, instead of standard output")
	return c
}

func writeComparison(w io.Writer, c *results.Comparison, json bool, opts results.CompareOptions) error {
	if json {
		return results.CompareJSON(w, c)
	}
	return results.WriteComparison(w, c, opts)
}

func (a *app) compare(paths []string) (*results.Comparison, error) {
	for _, path := range paths { // a mistake in the last path must not cost the judging of the first
		if _, err := runFolders([]string{path}); err != nil {
			return nil, err
		}
	}
	var sides []results.Side
	for _, path := range paths {
		runs, err := a.judgeAll([]string{path})
		if err != nil {
			return nil, err
		}
		side := results.Side{Name: filepath.Clean(path)}
		for _, r := range runs {
			side.Reports = append(side.Reports, r.report)
		}
		sides = append(sides, side)
	}
	return results.Compare(sides), nil
}
