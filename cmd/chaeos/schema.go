package main

import (
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/chaeos/chaeos/cmd/chaeos/usage"
	"github.com/chaeos/chaeos/results"
)

// schemas are the JSON Schemas of what --json prints, by what it prints.
var schemas = map[string][]byte{"report": results.Schema, "summary": results.SummarySchema, "comparison": results.ComparisonSchema}

func (a *app) schemaCommand() *cobra.Command {
	names := slices.Sorted(maps.Keys(schemas))
	return &cobra.Command{
		Use:   "schema [report|summary|comparison]",
		Short: "Print the JSON Schema of what --json prints: of a run's report, a suite's summary or a comparison",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage.Errorf("schema prints one schema, and was given %d names", len(args))
			}
			return nil
		},
		ValidArgs: names,
		RunE: func(_ *cobra.Command, args []string) error {
			name := "report"
			if len(args) == 1 {
				name = args[0]
			}
			if err := usage.OneOf("schema", name, names); err != nil {
				return err
			}
			_, err := a.stdout.Write(schemas[name])
			return err
		},
	}
}
