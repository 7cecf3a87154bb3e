package main

import (
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/prose"
)

// defaultSeed makes an unnamed seed the same everywhere: two people who type the same command get the same schedule.
const defaultSeed = 1

// isExperiment reports whether a name is an experiment's: it comes before a fault of the same name.
func (a *app) isExperiment(name string) bool {
	all, err := a.parts.experiments()
	return err == nil && slices.ContainsFunc(all, func(e harness.Experiment) bool { return e.Name == name })
}

func (a *app) showCommand() *cobra.Command {
	var seed uint64
	var yaml bool
	c := &cobra.Command{
		Use:               "show NAME|FILE.yaml|FAULT|PIPELINE",
		Short:             "Show an experiment: what it shows, its load, pipelines, schedule and expectations; or a fault, or a pipeline",
		Args:              oneArg("one experiment", experimentHint),
		ValidArgsFunction: a.completeExperiment,
		RunE: func(_ *cobra.Command, args []string) error {
			if k, ok := a.fault(args[0]); ok && !a.isExperiment(args[0]) {
				_, err := io.WriteString(a.stdout, k.text())
				return err
			}
			if slices.Contains(a.pipelineNames(), args[0]) && !a.isExperiment(args[0]) {
				return a.showPipeline(args[0])
			}
			e, err := a.experiment(args[0], seed, func(*harness.Experiment) error { return nil })
			if err != nil {
				return err
			}
			text := e.Source
			if !yaml {
				text = a.parts.show(e, seed)
			}
			_, err = io.WriteString(a.stdout, prose.Lines(text))
			return err
		},
	}
	c.AddCommand(a.showPipelineCommand())
	c.Flags().Uint64Var(&seed, "seed", defaultSeed, "what the schedule is drawn from")
	c.Flags().BoolVar(&yaml, "yaml", false, "print the YAML, to start an experiment of your own from")
	return c
}
