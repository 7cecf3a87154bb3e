package main

import (
	"io"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/results"
)

// tableFormat is for people at a terminal.
func tableFormat() format {
	return format{
		title: "a table",
		runs: apart(func(w io.Writer, r *harness.Report, v view) error {
			o := v.options(r)
			o.Width, o.Color = v.display.width, v.display.color
			return results.Table(w, r, o)
		}),
		summary: func(w io.Writer, s *results.Summary, v view) error {
			return results.WriteSummary(w, s, results.SummaryOptions{Width: v.display.width})
		},
	}
}
