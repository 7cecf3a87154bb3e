package verifiers_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/golden"
	"github.com/chaeos/chaeos/verifiers"
	"github.com/chaeos/chaeos/verifiers/evidence"
)

// TestCorpus judges small runs of real brokers again, without a cluster: the report is the golden one, byte for byte and
// twice, and what the folder shows can be written as Parquet. make corpus records them again.
func TestCorpus(t *testing.T) {
	packed, err := filepath.Glob("testdata/corpus/*.tar.gz")
	require.NoError(t, err)
	require.NotEmpty(t, packed)
	for _, path := range packed {
		name := strings.TrimSuffix(path, ".tar.gz")
		t.Run(filepath.Base(name), func(t *testing.T) {
			dir := t.TempDir()
			unpack(t, path, dir)
			got := judged(t, dir)
			require.Empty(t, golden.Diff(string(got), string(judged(t, dir))), "the same folder, the same bytes")
			golden.Equal(t, name+".json", got)
			require.NoError(t, evidence.Export(dir, filepath.Join(dir, "export")))
		})
	}
}

func judged(t *testing.T, dir string) []byte {
	t.Helper()
	report, err := verifiers.Judge(dir)
	require.NoError(t, err)
	require.NoError(t, evidence.Write(dir, report))
	report.Anomalies = first(report.Anomalies)
	data, err := json.MarshalIndent(report, "", " ")
	require.NoError(t, err)
	return append(data, '\n')
}

// first keeps three anomalies of a kind and pipeline: the golden reports are read by people.
func first(all []harness.Anomaly) (kept []harness.Anomaly) {
	seen := map[string]int{}
	for _, a := range all {
		key := a.Pipeline + " " + string(a.Kind)
		if seen[key]++; seen[key] <= 3 {
			kept = append(kept, a)
		}
	}
	return kept
}

// unpack extracts a packed run's folder.
func unpack(t *testing.T, path, dir string) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	unzipped, err := gzip.NewReader(bytes.NewReader(data))
	require.NoError(t, err)
	in := tar.NewReader(unzipped)
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
		require.True(t, filepath.IsLocal(h.Name), h.Name)
		to := filepath.Join(dir, h.Name)
		if h.Typeflag == tar.TypeDir {
			require.NoError(t, os.MkdirAll(to, 0o755))
			continue
		}
		content, err := io.ReadAll(in)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(to, content, 0o644))
	}
}

// TestCorpusShowsWhatItWasRecordedFor: each run holds the anomalies that it is there for.
func TestCorpusShowsWhatItWasRecordedFor(t *testing.T) {
	type shows func(harness.Row) bool
	holds := func(pipeline string) shows {
		return func(r harness.Row) bool { return r.Pipeline == pipeline && r.Delivered == string(r.Claims) }
	}
	loses := func(pipeline, cause string) shows {
		return func(r harness.Row) bool { return r.Pipeline == pipeline && r.Numbers.ByCause("lostBy")[cause] > 0 }
	}
	doubles := func(pipeline, cause string) shows {
		return func(r harness.Row) bool {
			return r.Pipeline == pipeline && r.Numbers.ByCause("duplicatesBy")[cause] > 0
		}
	}
	recorded := map[string][]shows{
		"baseline":         {holds("transactional")},
		"commit-first":     {loses("commit-first", "skipped"), func(r harness.Row) bool { return r.Pipeline == "commit-first" && r.Numbers.Count("duplicates") == 0 }},
		"fencing":          {holds("two-producers-one-id")},
		"late-request-tv1": {func(r harness.Row) bool { return r.Numbers.Count("torn") > 0 }},
		"leader-partition": {loses("acks1", "truncated"), holds("idempotent"), holds("transactional")},
		"lingering-txn": {func(r harness.Row) bool {
			return r.Pipeline == "transactional" && r.Numbers.Duration("longestStall").Seconds() > 15
		}},
		"power-loss":  {loses("acks-all", "truncated")},
		"worker-kill": {loses("auto-commit", "skipped"), doubles("idempotent", "reprocessed after restart")},
	}
	packed, err := filepath.Glob("testdata/corpus/*.tar.gz")
	require.NoError(t, err)
	require.Len(t, packed, len(recorded), "each run says here what it is there for")
	for name, all := range recorded {
		data, err := os.ReadFile("testdata/corpus/" + name + ".json")
		require.NoError(t, err)
		var report harness.Report
		require.NoError(t, json.Unmarshal(data, &report))
		for i, show := range all {
			require.True(t, slices.ContainsFunc(report.Rows, show), "%s does not show what it was recorded for (%d)", name, i)
		}
	}
}
