package main

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/chaeos/chaeos/cmd/chaeos/usage"
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/results"
)

func (a *app) verifyCommand() *cobra.Command {
	var json bool
	c := &cobra.Command{
		Use:   "verify [DIR]",
		Short: "Judge a saved run again, without a cluster",
		Long:  "Judge a saved run again from its folder alone, and print the same report and exit code; without a folder,\nthe last run in runs. The evidence files\nin its folder (docs/EVIDENCE.md) are written again.\n\n" + exitHelp,
		Args:  atMostOneArg("one run's folder"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(c *cobra.Command, args []string) error {
			args, err := a.orLastRun(c, args)
			if err != nil {
				return err
			}
			report, err := a.judge(args[0])
			if err != nil {
				return err
			}
			if err := a.print(report, args[0], json); err != nil {
				return err
			}
			if err := a.parts.files.evidence(args[0], report); err != nil { // a folder may be read-only: the verdict stands
				a.complain(err)
			}
			return outcome(report.Exit)
		},
	}
	c.Flags().BoolVar(&json, "json", false, "print the report as JSON")
	return c
}

func (a *app) judge(dir string) (*harness.Report, error) {
	if !isRun(dir) {
		return nil, notARun(dir)
	}
	return a.parts.judge(dir)
}

func notARun(dir string) error {
	return usage.Errorf("%s is not a run's folder: it has no %s (name a folder that chaeos run made)", dir, harness.RecordFile)
}

// print writes a report of the run in dir.
func (a *app) print(report *harness.Report, dir string, json bool) error {
	if json {
		return results.JSON(a.stdout, report)
	}
	return results.Table(a.stdout, report, results.Options{
		Verify: "chaeos verify " + shellWord(near(dir)), Width: a.display.Width, Color: a.display.Color,
	})
}

// near shortens a path below the working directory: the command must work where it was printed.
func near(dir string) string {
	here, err := os.Getwd()
	if err != nil || !filepath.IsAbs(dir) {
		return dir
	}
	if rel, err := filepath.Rel(here, dir); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return dir
}
