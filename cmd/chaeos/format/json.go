package format

import (
	"io"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/results"
)

func jsonKind() Kind {
	return Kind{
		Name: "json", Title: "JSON",
		Help: "print JSON, one document a run (chaeos schema prints its JSON Schema)",
		Runs: func(w io.Writer, reports []*harness.Report, _ View) error {
			for _, r := range reports {
				if err := results.JSON(w, r); err != nil {
					return err
				}
			}
			return nil
		},
		Summary: func(w io.Writer, s *results.Summary, _ View) error { return results.SummaryJSON(w, s) },
	}
}
