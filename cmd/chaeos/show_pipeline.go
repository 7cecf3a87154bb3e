package main

import (
	"github.com/spf13/cobra"

	"github.com/chaeos/chaeos/cmd/chaeos/usage"
	"github.com/chaeos/chaeos/results"
	"github.com/chaeos/chaeos/workloads"
)

// showPipelineCommand prints what a pipeline is before it runs.
func (a *app) showPipelineCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "pipeline NAME",
		Short: "Show a pipeline: its claim, its configuration in Kafka's property names, and its loop",
		Args:  oneArg("one pipeline", "docs/PIPELINES.md lists them all"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return a.pipelineNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if err := usage.OneOf("pipeline", args[0], a.pipelineNames()); err != nil {
				return err
			}
			return a.showPipeline(args[0])
		},
	}
}

func (a *app) showPipeline(name string) error {
	d, err := workloads.Describe(name)
	if err != nil {
		return err
	}
	return results.Pipeline(a.stdout, pipelinePage(d))
}

// pipelinePage is a description in the words of the page that shows it.
func pipelinePage(d workloads.Description) results.PipelinePage {
	page := results.PipelinePage{
		Name: d.Name, About: d.About, Claims: string(d.Claims), Breaks: d.BreaksWhen, Costs: d.Cost,
		Deviations: d.Deviations, HoldsRebalances: d.HoldsRebalances, Loop: d.Loop,
	}
	for _, s := range d.Settings {
		page.Settings = append(page.Settings, results.PipelineSetting(s))
	}
	for _, o := range d.Options {
		page.Options = append(page.Options, results.PipelineOption{Name: o.Name, Default: o.Default, About: o.About})
	}
	return page
}
