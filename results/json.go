package results

import (
	"encoding/json"
	"io"

	"github.com/chaeos/chaeos/harness"
)

// JSON writes the report for programs, durations in nanoseconds. Several reports on one writer are a stream of documents.
func JSON(w io.Writer, report *harness.Report) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(report)
}
