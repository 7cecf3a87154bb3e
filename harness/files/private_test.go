package files

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	require.NoError(t, MakePrivate(dir))
	info, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())

	require.NoError(t, os.Chmod(dir, 0o775))
	require.ErrorContains(t, Private(dir), "others may write into")
	require.NoError(t, MakePrivate(dir), "the user's own group is shut out")
	require.NoError(t, Private(dir))
	require.NoError(t, os.Chmod(dir, 0o757))
	require.ErrorContains(t, MakePrivate(dir), "others may write into", "anybody may have put something there")

	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(t.TempDir(), link))
	require.ErrorContains(t, MakePrivate(link), "is a link")
	require.ErrorIs(t, Private(filepath.Join(link, "absent")), os.ErrNotExist)
}

func TestPrivateOfOthers(t *testing.T) {
	for _, x := range []struct {
		owner, user int
		says        string
	}{{1000, 1000, ""}, {0, 1000, ""}, {0, 0, ""}, {1001, 1000, "another user (1001)"}, {1000, 0, "another user (1000)"}} {
		err := private("dir", os.ModeDir|0o755, x.owner, x.user)
		if x.says == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, x.says)
	}
}
