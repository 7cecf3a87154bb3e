package results

import (
	"bytes"
	"fmt"
	"io"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/prose"
)

// ListExperiments writes the experiments' names with what each does, one line each.
func ListExperiments(w io.Writer, experiments []harness.Experiment) error {
	experiments = prose.Cleaned(experiments)
	var b bytes.Buffer
	lines := columnar(&b)
	for _, e := range experiments {
		fmt.Fprintf(lines, "%s\t%s\n", e.Name, e.Summary)
	}
	flush(lines)
	_, err := w.Write(b.Bytes())
	return err
}
