package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/results"
)

func TestFormatsAreWhole(t *testing.T) {
	names := map[string]bool{}
	r := report("baseline", exitExpected)
	for i, f := range formats() {
		require.False(t, names[f.name], "two are called %s", f.name)
		names[f.name] = true
		require.Equal(t, i == 0, f.name == "", "only the first needs no flag")
		require.Equal(t, i == 0, f.help == "", f.name)
		require.NotEmpty(t, f.title, f.name)
		require.NotEqual(t, f.runs == nil, f.file == "", "%s writes either runs or a file for each", f.name)
		require.Equal(t, f.file == "", f.write == nil, f.name)
		if f.runs != nil {
			var b bytes.Buffer
			require.NoError(t, f.runs(&b, []*harness.Report{r}, view{dirs: map[*harness.Report]string{r: "runs/x"}}))
			require.NotEmpty(t, b.String(), f.name)
		}
		if f.summary != nil {
			var b bytes.Buffer
			require.NoError(t, f.summary(&b, results.Summarise("runs", []*harness.Report{r}, nil), view{}))
			require.NotEmpty(t, b.String(), f.name)
		}
	}
}

func TestListed(t *testing.T) {
	require.Equal(t, "", listed(nil, "and"))
	require.Equal(t, "a", listed([]string{"a"}, "and"))
	require.Equal(t, "a and b", listed([]string{"a", "b"}, "and"))
	require.Equal(t, "a, b or c", listed([]string{"a", "b", "c"}, "or"))
}
