package format

import (
	"io"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/results"
)

func markdownKind() Kind {
	return Kind{
		Name: "markdown", Title: "Markdown",
		Help: "print GitHub-flavoured Markdown, a section a run",
		Runs: apart(func(w io.Writer, r *harness.Report, v View) error { return results.Markdown(w, r, v.options(r)) }),
		Summary: func(w io.Writer, s *results.Summary, _ View) error {
			return results.WriteSummary(w, s, results.SummaryOptions{Markdown: true})
		},
	}
}
