package format

import (
	"io"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/results"
)

func csvKind() Kind {
	return Kind{
		Name: "csv", Title: "CSV",
		Help:    "print CSV, one line a pipeline of each run",
		Runs:    func(w io.Writer, reports []*harness.Report, _ View) error { return results.CSV(w, reports) },
		Summary: func(w io.Writer, s *results.Summary, _ View) error { return results.SummaryCSV(w, s) },
	}
}
