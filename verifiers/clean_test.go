package verifiers

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/observation"
)

const records = 3000

// TestCleanRun: on a run in which nothing went wrong, every count is 0 and every claim is held.
func TestCleanRun(t *testing.T) {
	for _, faulty := range []bool{false, true} {
		w := newWorld(records)
		if faulty {
			w.fault(1000, 2000)
		}
		report := w.judge(t)
		require.Zero(t, report.Exit, asJSON(t, report))
		require.Empty(t, report.Inconclusive)
		require.Empty(t, report.Stalls)
		require.Len(t, report.Rows, 3)
		for _, row := range report.Rows {
			require.Equal(t, string(row.Claims), row.Delivered, reasons(row))
			require.Empty(t, reasons(row))
			requireClean(t, row, faulty)
		}
	}
}

func requireClean(t *testing.T, row harness.Row, faulty bool) {
	t.Helper()
	zero := uint64(0)
	none := time.Duration(0)
	want := figures{Input: records, Unique: records}
	if row.Pipeline == txnName {
		want.LSOStalls, want.LongestStall, want.TotalStall = &zero, &none, &none
		want.Torn, want.AbortedSeen, want.CommittedNotSeen, want.Contradicted = &zero, &zero, &zero, &zero
	}
	got := figuresOf(row.Numbers)
	require.NotNil(t, got.NoProgress)
	require.NotNil(t, got.P99)
	require.InDelta(t, 20*time.Millisecond, *got.P99, float64(time.Millisecond))
	require.Equal(t, faulty, got.Recovery != nil)
	require.Equal(t, faulty, got.RecoveryFromHeal != nil)
	got.NoProgress, got.NoProgressIn, got.P50, got.P99, got.Recovery, got.RecoveryFromHeal = nil, 0, nil, nil, nil, nil
	require.Equal(t, want, got)
}

// TestSameBytes: judging a folder twice gives identical bytes, also when there is much to say.
func TestSameBytes(t *testing.T) {
	w := newWorld(records)
	w.fault(1000, 2000)
	w.doubleEach(plainName, 100)
	w.dropEach(plainName, 70)
	w.dropEach(srcName, 90)
	w.log("out-"+txnName, 1).batches[3].Marker = 1
	dir := w.save(t)
	first, err := Judge(dir)
	require.NoError(t, err)
	for range 5 {
		again, err := Judge(dir)
		require.NoError(t, err)
		require.Equal(t, asJSON(t, first), asJSON(t, again))
	}
}

// TestOtherVersions: a folder with a file of a version that this program doesn't read is refused, and the version named.
func TestOtherVersions(t *testing.T) {
	for file, change := range map[string]func(data []byte) []byte{
		harness.RecordFile: func(data []byte) []byte {
			return bytes.Replace(data, []byte(`"version": 1`), []byte(`"version": 99`), 1)
		},
		"readback/readback.json": func(data []byte) []byte {
			return bytes.Replace(data, fmt.Appendf(nil, `"version": %d`, observation.Version), []byte(`"version": 99`), 1)
		},
		"history/idempotent-0.hist":     func(data []byte) []byte { data[len("chaeosH")] = 99; return data },
		"readback/in-1.obs":             func(data []byte) []byte { data[len("chaeosO")] = 99; return data },
		"readback/out-idempotent-1.obs": func(data []byte) []byte { data[len("chaeosO")] = 99; return data },
	} {
		dir := newWorld(90).save(t)
		path := filepath.Join(dir, filepath.FromSlash(file))
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, change(data), 0o600))
		_, err = Judge(dir)
		require.ErrorContains(t, err, "version 99", file)
		require.ErrorContains(t, err, filepath.Base(file))
	}
}

func TestNoFolder(t *testing.T) {
	_, err := Judge(t.TempDir())
	require.ErrorContains(t, err, "is not a run's folder")
}
