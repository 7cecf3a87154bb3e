package main

import (
	"io"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/results"
)

func jsonFormat() format {
	return format{
		name: "json", title: "JSON",
		help: "print JSON, one document a run (chaeos schema prints its JSON Schema)",
		runs: func(w io.Writer, reports []*harness.Report, _ view) error {
			for _, r := range reports {
				if err := results.JSON(w, r); err != nil {
					return err
				}
			}
			return nil
		},
		summary: func(w io.Writer, s *results.Summary, _ view) error { return results.SummaryJSON(w, s) },
	}
}
