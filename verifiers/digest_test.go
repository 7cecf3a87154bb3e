package verifiers_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers"
	"github.com/chaeos/chaeos/verifiers/evidence"
)

// TestEditedRunIsInconclusive: what the mutations of run.json get past without a digest is noticed with one.
func TestEditedRunIsInconclusive(t *testing.T) {
	dir := t.TempDir()
	unpack(t, "testdata/corpus/baseline.tar.gz", dir)
	record, err := harness.LoadRecord(dir)
	require.NoError(t, err)
	record.Digested = true
	require.NoError(t, record.Save(dir))
	require.NoError(t, harness.WriteDigest(dir))
	for range 2 { // what verify writes itself changes nothing
		report, err := verifiers.Judge(dir)
		require.NoError(t, err)
		require.Zero(t, report.Exit, report.Why)
		require.NoError(t, evidence.Write(dir, report))
	}
	record.Expect = nil
	require.NoError(t, record.Save(dir))
	report, err := verifiers.Judge(dir)
	require.NoError(t, err)
	require.Equal(t, 4, report.Exit)
	require.Contains(t, report.Inconclusive, "run.json was changed since the run left it")
	require.NoError(t, os.Remove(filepath.Join(dir, harness.DigestFile)))
	report, err = verifiers.Judge(dir)
	require.NoError(t, err)
	require.Equal(t, 4, report.Exit)
}
