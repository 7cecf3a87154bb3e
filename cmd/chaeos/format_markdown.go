package main

import (
	"io"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/results"
)

func markdownFormat() format {
	return format{
		name: "markdown", title: "Markdown",
		help: "print GitHub-flavoured Markdown, a section a run",
		runs: apart(func(w io.Writer, r *harness.Report, v view) error { return results.Markdown(w, r, v.options(r)) }),
		summary: func(w io.Writer, s *results.Summary, _ view) error {
			return results.WriteSummary(w, s, results.SummaryOptions{Markdown: true})
		},
	}
}
