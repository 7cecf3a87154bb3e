package catalogue

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
)

func TestSuites(t *testing.T) {
	require.Equal(t, []string{"full", "nightly", "smoke"}, SuiteNames())
	for _, name := range SuiteNames() {
		s, err := FindSuite(name)
		require.NoError(t, err)
		require.Equal(t, name, s.Name, "a suite is named as its file")
		require.NotEmpty(t, s.Summary)
		require.GreaterOrEqual(t, s.Repeat, 1)
		for _, e := range s.Experiments {
			require.Contains(t, Names(), e)
		}
	}
	nightly, err := FindSuite("nightly")
	require.NoError(t, err)
	require.Equal(t, Names(), nightly.Experiments)
	_, err = FindSuite("nightli")
	require.ErrorAs(t, err, new(harness.UsageError))
	require.ErrorContains(t, err, "did you mean nightly?")
}

func TestSuiteFilesAreStrict(t *testing.T) {
	for name, c := range map[string]struct{ source, says string }{
		"unknown field":      {"name: x\nsummary: s\nexperiments: all\nrepeats: 2\n", `x.yaml:4:1: unknown field "repeats" (did you mean repeat?)`},
		"unknown experiment": {"name: x\nsummary: s\nexperiments: [baselin]\n", `x.yaml:3:15: unknown experiment "baselin" (did you mean baseline?)`},
		"twice":              {"name: x\nsummary: s\nexperiments: [baseline, baseline]\n", "is named twice"},
		"none":               {"name: x\nsummary: s\nexperiments: []\n", "expected at least one experiment"},
		"missing":            {"name: x\nsummary: s\n", `the field "experiments" is missing`},
		"repeat":             {"name: x\nsummary: s\nexperiments: all\nrepeat: 0\n", "repeat must be from 1 to 1000"},
	} {
		_, err := parseSuite("x.yaml", []byte(c.source))
		require.ErrorContains(t, err, c.says, name)
	}
}
