package main

import (
	"io"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/results"
)

func csvFormat() format {
	return format{
		name: "csv", title: "CSV",
		help:    "print CSV, one line a pipeline of each run",
		runs:    func(w io.Writer, reports []*harness.Report, _ view) error { return results.CSV(w, reports) },
		summary: func(w io.Writer, s *results.Summary, _ view) error { return results.SummaryCSV(w, s) },
	}
}
