package verifiers_test

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers"
	"github.com/chaeos/chaeos/verifiers/evidence"
	"github.com/chaeos/chaeos/verifiers/timeline"
)

// python returns an interpreter with what testdata/requirements.txt lists, in an environment that is kept in the user's
// cache. Without Python the test is skipped, unless CHAEOS_TEST_PYTHON asks for it, as CI does.
func python(t *testing.T) string {
	t.Helper()
	demanded := os.Getenv("CHAEOS_TEST_PYTHON") != ""
	system, err := exec.LookPath("python3")
	if err != nil && !demanded {
		t.Skip("there is no python3")
	}
	require.NoError(t, err)
	wanted, err := os.ReadFile("testdata/requirements.txt")
	require.NoError(t, err)
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = t.TempDir()
	}
	h := fnv.New64a()
	h.Write(wanted)
	env := filepath.Join(cache, "chaeos", "python-"+strconv.FormatUint(h.Sum64(), 36))
	interpreter := filepath.Join(env, "bin", "python")
	if exec.Command(interpreter, "-c", "import duckdb, pandas, pyarrow").Run() == nil {
		return interpreter
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	for _, step := range [][]string{
		{system, "-m", "venv", "--clear", env},
		{interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", "testdata/requirements.txt"},
	} {
		out, err := exec.CommandContext(ctx, step[0], step[1:]...).CombinedOutput()
		if err != nil && !demanded {
			t.Skipf("python packages can't be installed here: %v: %s", err, out)
		}
		require.NoError(t, err, string(out))
	}
	return interpreter
}

type opened struct {
	DuckDB, Pandas struct {
		Rows    int
		Columns []string
		// First are the first five rows, without nulls.
		First []map[string]any
	}
	Sums  map[string][2]map[string]uint64
	Kinds map[string]int
}

// openedWith writes everything about some folders as Parquet, and has DuckDB and pandas open it.
func openedWith(t *testing.T, dirs ...string) (all []map[string]opened) {
	t.Helper()
	interpreter := python(t)
	for _, dir := range dirs {
		report, err := verifiers.Judge(dir)
		require.NoError(t, err)
		require.NoError(t, evidence.Write(dir, report))
		require.NoError(t, evidence.Export(dir, filepath.Join(dir, "export")))
	}
	out, err := exec.Command(interpreter, append([]string{"testdata/open.py"}, dirs...)...).Output()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(out, &all))
	require.Len(t, all, len(dirs))
	for _, files := range all {
		require.Len(t, files, 7)
		for name, f := range files {
			require.Equal(t, f.DuckDB, f.Pandas, name)
			require.NotEmpty(t, f.DuckDB.Columns, name)
		}
	}
	return all
}

// TestDuckDBAndPandasOpenTheFiles: both see the same rows, columns and cells, and the sums that the report counted.
func TestDuckDBAndPandasOpenTheFiles(t *testing.T) {
	dir := verifiers.SavePlanted(t, "each 1000th output doubled by another incarnation")
	files := openedWith(t, dir)[0]
	report, err := verifiers.Judge(dir)
	require.NoError(t, err)
	require.Equal(t, 6, files["evidence/anomalies"].Kinds["duplicate"], "three inputs with two copies each")
	require.NotEmpty(t, files["evidence/anomalies"].DuckDB.First[0]["text"])
	require.Equal(t, 4*3000+3, files["export/records"].DuckDB.Rows, "the input, three outputs, and the planted copies")
	require.Equal(t, len(processes(t, dir)), files["export/history"].Kinds["process"])
	timeline := files["evidence/timeline"]
	for _, row := range report.Rows {
		for _, both := range timeline.Sums["visible"] {
			require.Equal(t, row.Numbers.Count("unique"), both[row.Pipeline], row.Pipeline)
		}
		for _, both := range timeline.Sums["acked"] {
			require.EqualValues(t, 3000, both[row.Pipeline], row.Pipeline)
		}
	}
}

// TestCausesAreInTheFiles: what a duplicate, a loss or a stall came of can be asked of the Parquet files alone.
func TestCausesAreInTheFiles(t *testing.T) {
	dirs := []string{
		verifiers.SavePlanted(t, "a worker killed and restarted between output and commit"),
		verifiers.SavePlanted(t, "a tail that only the old leader's log end showed"),
		verifiers.SavePlanted(t, "a prefix that a recorded fault deleted"),
		verifiers.SaveStalled(t),
	}
	got := openedWith(t, dirs...)
	holds := func(what map[string]any, row map[string]any) {
		t.Helper()
		for column, value := range what {
			require.EqualValues(t, value, row[column], column)
		}
	}
	second := got[0]["evidence/anomalies"].DuckDB.First[1]
	holds(map[string]any{
		"kind": "duplicate", "copy": 1, "copy_cause": "reprocessed after restart", "reread": "restart", "worker": 0, "incarnation": 2, "generation": 2,
		"given_seconds": 3.0, "began_seconds": 3.01, "began_at": 990, "back_to": 990, "back_to_by": "idempotent-0", "back_to_seconds": 2.941,
		"before_worker": 0, "before_incarnation": 1, "before_killed": true,
	}, second)
	require.NotContains(t, got[0]["evidence/anomalies"].DuckDB.First[0], "reread", "the first copy came of nothing")
	holds(map[string]any{
		"kind": "lost", "cause": "truncated", "truncated_from": 970, "truncated_to": 990, "truncated_old_epoch": 0, "truncated_new_epoch": 5,
		"truncated_seen_by": "log end", "truncated_committed": false, "acked_offset": 970, "acked_holder": "now held by a transaction marker", "acked_leader_epoch": 5,
	}, got[1]["evidence/anomalies"].DuckDB.First[0])
	holds(map[string]any{
		"kind": "lost", "cause": "deleted", "log_start": 100, "log_start_moved_by": "delete-records leader of output/0",
	}, got[2]["evidence/anomalies"].DuckDB.First[0])
	holds(map[string]any{
		"start_seconds": 1.0, "length_seconds": 1.5, "open": false, "lso": 99, "records": 370, "bytes": 37_000, "transactional_id": "t-0",
		"producer_id": 300, "producer_epoch": 0, "worker": 0, "incarnation": 1, "txn": 10, "txn_outcome": "never asked", "coordinator": 2,
		"began_seconds": 0.99, "timeout_seconds": 60.0, "onset_state": "Ongoing", "state": "Ongoing", "state_seconds": 2.0,
		"end_state": "CompleteAbort", "end_state_seconds": 2.6, "end_epoch": 1, "ended_by": "new producer epoch", "ended_by_process": "transactional-0.2",
		"marker_offset": 109, "marker_commit": false, "marker_epoch": 1, "marker_coordinator_epoch": 7, "marker_seconds": 2.45,
		"fault": "broker-kill leader of output/0", "faults": []any{"broker-kill leader of output/0"},
	}, got[3]["evidence/stalls"].DuckDB.First[0])
}

func processes(t *testing.T, dir string) []harness.HistoryRecord {
	record, err := harness.LoadRecord(dir)
	require.NoError(t, err)
	return record.Histories
}

// TestEvidenceIsStable: written twice, the files are the same bytes, and nothing half-written is left behind.
func TestEvidenceIsStable(t *testing.T) {
	dir := verifiers.SavePlanted(t, "a torn transaction over two partitions")
	files := func() map[string]string {
		report, err := verifiers.Judge(dir)
		require.NoError(t, err)
		require.NoError(t, evidence.Write(dir, report))
		require.NoError(t, evidence.Export(dir, filepath.Join(dir, "export")))
		got := map[string]string{}
		for _, folder := range []string{evidence.Folder, "export"} {
			list, err := os.ReadDir(filepath.Join(dir, folder))
			require.NoError(t, err)
			for _, e := range list {
				data, err := os.ReadFile(filepath.Join(dir, folder, e.Name()))
				require.NoError(t, err)
				got[e.Name()] = string(data)
			}
		}
		return got
	}
	first := files()
	require.Len(t, first, 7)
	require.Equal(t, first, files())
}

// TestTimeline: the clean run acknowledges 30 records of 10 a partition every 30 ms and shows them 50 ms after the block
// began; every bucket keeps the extremes of what was on its way.
func TestTimeline(t *testing.T) {
	dir := verifiers.SavePlanted(t, "")
	var acked, visible uint64
	var last timeline.Bucket
	require.NoError(t, timeline.Build(dir, func(b timeline.Bucket) error {
		if b.Pipeline == "transactional" && b.Partition == 1 {
			if acked > 0 {
				require.Equal(t, timeline.Width, b.Start.Sub(last.Start), "no bucket is left out")
			}
			acked += b.Acked
			visible += b.Visible
			require.LessOrEqual(t, b.LagMin, b.LagMax)
			require.InDelta(t, 0, b.LagMax, 20)
			last = b
		}
		return nil
	}))
	require.EqualValues(t, 1000, acked)
	require.EqualValues(t, 1000, visible)
	require.Zero(t, last.LagMin)
}
