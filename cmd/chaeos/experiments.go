package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/chaeos/chaeos/cmd/chaeos/usage"
	"github.com/chaeos/chaeos/harness"
)

const experimentHint = "chaeos list shows the names; a path names a YAML file"

// experiment returns the one that is named, or read from the YAML file that is named, changed by override and then made
// concrete with the seed. Whatever is wrong with it is a usage error: nothing has been started.
func (a *app) experiment(name string, seed uint64, override func(*harness.Experiment) error) (harness.Experiment, error) {
	found, err := a.parts.open(name)
	if err != nil {
		return harness.Experiment{}, asUsage(err)
	}
	if err := override(&found); err != nil {
		return harness.Experiment{}, err
	}
	for _, p := range found.Pipelines {
		if err := usage.OneOf("pipeline", p, a.pipelineNames()); err != nil {
			return harness.Experiment{}, err
		}
	}
	concrete, err := a.parts.concrete(found, seed)
	if err != nil {
		return harness.Experiment{}, asUsage(err)
	}
	return concrete, nil
}

func asUsage(err error) error {
	var already harness.UsageError
	if errors.As(err, &already) {
		return err
	}
	return usage.Errorf("%s", err)
}

// completeExperiment offers the names there are, and files.
func (a *app) completeExperiment(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	all, err := a.parts.experiments()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var out []cobra.Completion
	for _, e := range all {
		out = append(out, cobra.CompletionWithDesc(e.Name, e.Summary))
	}
	return out, cobra.ShellCompDirectiveDefault
}

func (a *app) pipelineNames() []string {
	var names []string
	for _, p := range a.parts.pipelines {
		names = append(names, p.Name)
	}
	return names
}
