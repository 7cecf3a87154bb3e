package results

import (
	"bytes"
	"fmt"
	"io"

	"github.com/chaeos/chaeos/harness"
)

// ListExperiments writes the experiments' names with what each does, one line each.
func ListExperiments(w io.Writer, experiments []harness.Experiment) error {
	var b bytes.Buffer
	lines := columnar(&b)
	for _, e := range experiments {
		fmt.Fprintf(lines, "%s\t%s\n", e.Name, e.Summary)
	}
	flush(lines)
	_, err := w.Write(b.Bytes())
	return err
}
