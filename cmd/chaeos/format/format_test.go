package format

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/results"
	_ "github.com/chaeos/chaeos/verifiers" // declares the numbers
)

func TestFormatsAreWhole(t *testing.T) {
	names := map[string]bool{}
	r := &harness.Report{Experiment: "baseline", Rows: []harness.Row{{Pipeline: "idempotent", Claims: harness.AtLeastOnce}}}
	pages := func(io.Writer, string) error { return nil }
	for i, f := range All(pages) {
		require.False(t, names[f.Name], "two are called %s", f.Name)
		names[f.Name] = true
		require.Equal(t, i == 0, f.Name == "", "only the first needs no flag")
		require.Equal(t, i == 0, f.Help == "", f.Name)
		require.NotEmpty(t, f.Title, f.Name)
		require.NotEqual(t, f.Runs == nil, f.File == "", "%s writes either runs or a file for each", f.Name)
		require.Equal(t, f.File == "", f.Write == nil, f.Name)
		if f.Runs != nil {
			var b bytes.Buffer
			require.NoError(t, f.Runs(&b, []*harness.Report{r}, View{Dirs: map[*harness.Report]string{r: "runs/x"}}))
			require.NotEmpty(t, b.String(), f.Name)
		}
		if f.Summary != nil {
			var b bytes.Buffer
			require.NoError(t, f.Summary(&b, results.Summarise("runs", []*harness.Report{r}, nil), View{}))
			require.NotEmpty(t, b.String(), f.Name)
		}
	}
}
