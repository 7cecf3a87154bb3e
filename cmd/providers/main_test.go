package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
)

func saved(t *testing.T, reports ...harness.Report) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "reports.json")
	file, err := os.Create(path)
	require.NoError(t, err)
	for _, r := range reports {
		require.NoError(t, json.NewEncoder(file).Encode(r))
	}
	require.NoError(t, file.Close())
	return path
}

func report(provider string, seed uint64, verdict harness.Verdict) harness.Report {
	return harness.Report{Experiment: "worker-kill", Seed: seed, Provider: provider, Rows: []harness.Row{{
		Pipeline: "transactional", Claims: harness.ExactlyOnce, Delivered: "x",
		Verdicts: []harness.GuaranteeVerdict{{Guarantee: harness.ExactlyOnce, Verdict: verdict}},
	}}}
}

func TestSameVerdicts(t *testing.T) {
	var b strings.Builder
	same, err := compare(&b, saved(t, report("local", 1, harness.Held)), saved(t, report("containers", 1, harness.Held)))
	require.NoError(t, err)
	require.True(t, same)
	require.Contains(t, b.String(), "# The same runs on local and on containers")
	require.Contains(t, b.String(), "| transactional | exactly-once | x | x | yes | 0 / 0 | 0 / 0 | – / – |")
}

func TestOtherVerdicts(t *testing.T) {
	var b strings.Builder
	same, err := compare(&b, saved(t, report("local", 1, harness.Held)), saved(t, report("containers", 1, harness.Violated)))
	require.NoError(t, err)
	require.False(t, same)
	require.Contains(t, b.String(), "| **no** |")
}

func TestOtherRunsAreRefused(t *testing.T) {
	var b strings.Builder
	_, err := compare(&b, saved(t, report("local", 1, harness.Held)), saved(t, report("containers", 2, harness.Held)))
	require.ErrorContains(t, err, "not the same run")
	_, err = compare(&b, saved(t), saved(t))
	require.Error(t, err)
	_, err = compare(&b, "/nowhere", saved(t))
	require.Error(t, err)
}
