package main

import (
	"github.com/spf13/cobra"

	"github.com/chaeos/chaeos/results"
)

func (a *app) listCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the named experiments, one line each",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			all, err := a.parts.experiments()
			if err != nil {
				return err
			}
			return results.ListExperiments(a.stdout, all)
		},
	}
}
