package scratch

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// dead makes what a process that was killed leaves, at any moment after it made the folder.
func dead(t *testing.T, root, name string, locked bool) string {
	t.Helper()
	dir := filepath.Join(root, name)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "node-1"), 0o755))
	if locked {
		require.NoError(t, os.WriteFile(filepath.Join(dir, LockName), nil, 0o600))
	}
	return dir
}

func TestSweepRemovesOnlyFoldersOfDeadProcesses(t *testing.T) {
	root := filepath.Join(t.TempDir(), "root")
	live, err := Make(t.Context(), root, "cluster") // locked by this process
	require.NoError(t, err)
	require.True(t, Owned(live.Path))
	all := []string{dead(t, root, "cluster-1", true), dead(t, root, "pom-2", true), dead(t, root, "cluster-3", false)}
	require.False(t, Owned(all[0]))
	require.False(t, Owned(all[2]))
	require.NoFileExists(t, filepath.Join(all[2], LockName), "to ask changes nothing")
	require.ElementsMatch(t, all, Sweep(t.Context(), root))
	for _, dir := range all {
		require.NoDirExists(t, dir)
	}
	require.DirExists(t, live.Path)
}

func TestMakeSweeps(t *testing.T) {
	root := filepath.Join(t.TempDir(), "root")
	first, err := Make(t.Context(), root, "disk")
	require.NoError(t, err)
	left := dead(t, root, "cluster-1", true)
	second, err := Make(t.Context(), root, "disk")
	require.NoError(t, err)
	require.NoDirExists(t, left)
	require.DirExists(t, first.Path)
	require.NoError(t, first.Remove(t.Context()))
	require.NoDirExists(t, first.Path)
	require.DirExists(t, second.Path)
	require.NoError(t, second.Remove(t.Context()))
	require.NoDirExists(t, root, "nothing is left")
	require.Empty(t, Sweep(t.Context(), root), "there is nothing to sweep")
}

func TestGone(t *testing.T) {
	root := filepath.Join(t.TempDir(), "root")
	f, err := Make(t.Context(), root, "cluster")
	require.NoError(t, err)
	require.False(t, f.Gone())
	require.NoError(t, os.RemoveAll(f.Path))
	require.True(t, f.Gone())
	require.NoError(t, os.Mkdir(f.Path, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(f.Path, LockName), nil, 0o600))
	require.True(t, f.Gone(), "another one of that name")
}

// TestRootOfAnother: what others could have put there is neither used nor removed.
func TestRootOfAnother(t *testing.T) {
	root := filepath.Join(t.TempDir(), "root")
	require.NoError(t, os.Mkdir(root, 0o700))
	theirs := dead(t, root, "cluster-1", true)
	require.NoError(t, os.Chmod(root, 0o777))
	_, err := Make(t.Context(), root, "cluster")
	require.ErrorContains(t, err, "others may write into")
	require.Empty(t, Sweep(t.Context(), root))
	require.DirExists(t, theirs)

	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(t.TempDir(), link))
	_, err = Make(t.Context(), link, "cluster")
	require.ErrorContains(t, err, "is a link")
}

func TestLockWaitsForItsTurn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := Lock(t.Context(), path)
	require.NoError(t, err)
	short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = Lock(short, path)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	unlock()
	unlock, err = Lock(t.Context(), path)
	require.NoError(t, err)
	unlock()
}

func TestLockFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	mine, link := filepath.Join(dir, "mine"), filepath.Join(dir, LockName)
	require.NoError(t, os.Symlink(mine, link))
	_, err := TryLock(link)
	require.Error(t, err)
	require.NoFileExists(t, mine)
}
