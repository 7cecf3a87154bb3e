package results

import (
	"encoding/json"
	"io"

	"github.com/chaeos/chaeos/harness"
)

// JSON writes the report for programs, durations in nanoseconds. Several reports on one writer are a stream of documents.
// Errors are w's.
func JSON(w io.Writer, report *harness.Report) error { return EncodeJSON(w, report) }

// EncodeJSON writes one document, indented, with <, > and & as they are. Errors are w's.
func EncodeJSON(w io.Writer, document any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(document)
}
