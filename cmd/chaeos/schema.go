package main

import (
	"github.com/spf13/cobra"

	"github.com/chaeos/chaeos/results"
)

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of the reports that --json prints",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := a.stdout.Write(results.Schema)
			return err
		},
	}
}
