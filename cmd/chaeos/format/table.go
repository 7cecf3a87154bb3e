package format

import (
	"io"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/results"
)

// tableKind is for people at a terminal.
func tableKind() Kind {
	return Kind{
		Title: "a table",
		Runs: apart(func(w io.Writer, r *harness.Report, v View) error {
			o := v.options(r)
			o.Width, o.Color = v.Display.Width, v.Display.Color
			return results.Table(w, r, o)
		}),
		Summary: func(w io.Writer, s *results.Summary, v View) error {
			return results.WriteSummary(w, s, results.SummaryOptions{Width: v.Display.Width})
		},
	}
}
