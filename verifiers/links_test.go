package verifiers_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/chaeos/chaeos/verifiers"
	"github.com/chaeos/chaeos/verifiers/evidence"
)

// TestEvidenceFollowsNoLink: a run's folder from elsewhere may hold links to files of the person who judges it.
func TestEvidenceFollowsNoLink(t *testing.T) {
	dir, mine := verifiers.SavePlanted(t, ""), filepath.Join(t.TempDir(), "mine")
	require.NoError(t, os.WriteFile(mine, []byte("keep"), 0o644))
	report, err := verifiers.Judge(dir)
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(dir, evidence.Folder), 0o755))
	for _, name := range []string{"stalls.parquet", "stalls.parquet.tmp", "faults.parquet.tmp"} {
		require.NoError(t, os.Symlink(mine, filepath.Join(dir, evidence.Folder, name)))
	}
	require.NoError(t, evidence.Write(dir, report))
	text, err := os.ReadFile(mine)
	require.NoError(t, err)
	require.Equal(t, "keep", string(text))

	for _, folder := range []string{evidence.Folder, "export"} {
		elsewhere := t.TempDir()
		require.NoError(t, os.RemoveAll(filepath.Join(dir, folder)))
		require.NoError(t, os.Symlink(elsewhere, filepath.Join(dir, folder)))
		write := func() error { return evidence.Write(dir, report) }
		if folder == "export" {
			write = func() error { return evidence.Export(dir, filepath.Join(dir, folder)) }
		}
		require.ErrorContains(t, write(), "not a folder of its own")
		left, err := os.ReadDir(elsewhere)
		require.NoError(t, err)
		require.Empty(t, left)
	}
}

// TestEvidenceTwiceAtOnce: two who verify the same folder don't take each other's files away.
func TestEvidenceTwiceAtOnce(t *testing.T) {
	dir := verifiers.SavePlanted(t, "")
	report, err := verifiers.Judge(dir)
	require.NoError(t, err)
	var g errgroup.Group
	for range 4 {
		g.Go(func() error { return evidence.Write(dir, report) })
	}
	require.NoError(t, g.Wait())
	files, err := os.ReadDir(filepath.Join(dir, evidence.Folder))
	require.NoError(t, err)
	require.Len(t, files, 4, "nothing half-written is left")
}
