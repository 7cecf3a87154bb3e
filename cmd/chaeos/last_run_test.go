package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLastRun: commands that are given no folder take the newest run, also one of a suite.
func TestLastRun(t *testing.T) {
	t.Chdir(t.TempDir())
	_, err := lastRun("verify")
	require.ErrorContains(t, err, "there is none in runs either")
	runFolder(t, runsFolder, "20261201T080000-baseline-1")
	newest := runFolder(t, runsFolder, "20261201T090000-latency-1")
	got, err := lastRun("verify")
	require.NoError(t, err)
	require.Equal(t, newest, got)
	newest = runFolder(t, filepath.Join(runsFolder, "20261130T000000-suite-nightly"), "20261201T100000-worker-kill-1")
	for command, says := range map[string]string{
		"verify": "chaeos verify " + newest, "report --json": "", "explain --lost": "", "explain 1/4711": "", "export": newest,
	} {
		b := newBench(t)
		b.do(strings.Fields(command)...)
		require.Contains(t, b.err.String(), "the last run: "+newest, command)
		require.Contains(t, b.out.String(), says, command)
	}
}
