package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/chaeos/chaeos/cmd/chaeos/usage"
	"github.com/chaeos/chaeos/harness"
)

// exports write a run as Parquet: the evidence of its verdict, and everything that it recorded. Jepsen writes its rows as
// histories of Jepsen's Kafka workload.
type exports struct {
	evidence func(dir string, report *harness.Report) error
	export   func(dir, into string) error
	jepsen   func(dir, into string) error
}

// exportFolder is where export writes by default, inside the run's folder.
const exportFolder = "export"

func (a *app) exportCommand() *cobra.Command {
	var to, jepsen string
	c := &cobra.Command{
		Use:   "export [DIR]",
		Short: "Write a saved run's whole history and logs as Parquet",
		Long: `Write everything that a run recorded as Parquet, for DuckDB, pandas and the like: history.parquet (every entry of every
process), batches.parquet and records.parquet (every log as it was read back). The evidence files of its verdict
(anomalies, stalls, timeline, faults) are written again too, into the folder "evidence". docs/EVIDENCE.md defines the
columns.

With --jepsen, write each pipeline's history as operations of Jepsen's Kafka workload (EDN) into a folder instead, one file
a pipeline: docs/JEPSEN.md says what becomes of what.`,
		Args: atMostOneArg("one run's folder"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("to") && to == "" {
				return usage.Errorf("--to names no folder")
			}
			args, err := a.orLastRun(c, args)
			if err != nil {
				return err
			}
			if c.Flags().Changed("jepsen") {
				return a.exportJepsen(args[0], jepsen, to)
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
	c.Flags().StringVar(&jepsen, "jepsen", "", "write histories for Jepsen's Kafka checker into this folder instead")
	return c
}

// exportJepsen judges nothing: another checker reads these files and does.
func (a *app) exportJepsen(dir, into, to string) error {
	switch {
	case into == "":
		return usage.Errorf("--jepsen names no folder")
	case to != "":
		return usage.Errorf("--to is for Parquet; --jepsen names a folder of its own")
	case !isRun(dir):
		return notARun(dir)
	}
	if err := a.parts.files.jepsen(dir, into); err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "%s\n", near(into))
	return nil
}
