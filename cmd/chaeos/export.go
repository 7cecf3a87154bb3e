package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/chaeos/chaeos/harness"
)

// parquets write a run as Parquet: the evidence of its verdict, and everything that it recorded.
type parquets struct {
	evidence func(dir string, report *harness.Report) error
	export   func(dir, into string) error
}

// exportFolder is where export writes, inside the run's folder, unless it is told otherwise.
const exportFolder = "export"

func (a *app) exportCommand() *cobra.Command {
	var to string
	c := &cobra.Command{
		Use:   "export DIR",
		Short: "Write a saved run's whole history and logs as Parquet",
		Long: `Write everything that a run recorded as Parquet, for DuckDB, pandas and the like: history.parquet (every entry of every
process), batches.parquet and records.parquet (every log as it was read back). The evidence files of its verdict
(anomalies, stalls, timeline, faults) are written again too, into the folder "evidence". docs/EVIDENCE.md defines the
columns.`,
		Args: oneArg("one run's folder", "chaeos run makes them in runs"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("to") && to == "" {
				return usagef("--to names no folder")
			}
			if to == "" {
				to = filepath.Join(args[0], exportFolder)
			}
			report, err := a.judge(args[0])
			if err != nil {
				return err
			}
			if err := a.parts.files.evidence(args[0], report); err != nil {
				return err
			}
			if err := a.parts.files.export(args[0], to); err != nil {
				return err
			}
			fmt.Fprintf(a.stdout, "%s\n", near(to))
			return nil
		},
	}
	c.Flags().StringVar(&to, "to", "", "write into this folder (default: export in the run's folder)")
	return c
}
