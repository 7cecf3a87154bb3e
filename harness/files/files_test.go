package files_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"

	"github.com/chaeos/chaeos/harness/files"
)

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

// names lists what is in a folder.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "report.html")
	require.NoError(t, files.ReplaceBytes(path, []byte("one")))
	require.NoError(t, files.ReplaceBytes(path, []byte("two")))
	require.Equal(t, "two", read(t, path))
	full := errors.New("disk full")
	require.ErrorIs(t, files.Replace(path, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half")
		return full
	}), full)
	require.Equal(t, "two", read(t, path), "what failed changes nothing")
	require.Error(t, files.ReplaceBytes(filepath.Join(path, "below"), nil))
	require.Error(t, files.ReplaceBytes(dir, nil))
	require.Equal(t, []string{"report.html"}, names(t, dir), "nothing is left behind")
}

// TestReplaceFollowsNoLink: a folder from elsewhere may hold links to files of the person who looks at it.
func TestReplaceFollowsNoLink(t *testing.T) {
	dir, mine := t.TempDir(), filepath.Join(t.TempDir(), "mine")
	require.NoError(t, os.WriteFile(mine, []byte("keep"), 0o644))
	path := filepath.Join(dir, "report.html")
	for _, name := range []string{path, path + ".tmp"} {
		require.NoError(t, os.Symlink(mine, name))
	}
	require.NoError(t, files.ReplaceBytes(path, []byte("page")))
	require.Equal(t, "page", read(t, path))
	log, err := files.Fresh(path + ".tmp")
	require.NoError(t, err)
	_, err = log.WriteString("log")
	require.NoError(t, errors.Join(err, log.Close()))
	require.Equal(t, "keep", read(t, mine))

	elsewhere := t.TempDir()
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(dir, "evidence")))
	require.ErrorContains(t, files.Folder(filepath.Join(dir, "evidence")), "not a folder of its own")
	require.NoError(t, files.Folder(filepath.Join(dir, "other")))
	require.NoError(t, files.Folder(filepath.Join(dir, "other")), "it may be there")
	require.ErrorContains(t, files.ExportFolder(dir+"/", filepath.Join(dir, "evidence")), "not a folder of its own")
	require.NoError(t, files.ExportFolder(dir, filepath.Join(dir, "one", "two")))
	require.NoError(t, files.ExportFolder(filepath.Join(dir, "other"), filepath.Join(dir, "evidence")), "a folder that a user names may be a link")
}

// TestTwoAtOnce: writers of one file don't disturb each other.
func TestTwoAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.json")
	var g errgroup.Group
	for i := range 8 {
		g.Go(func() error {
			for range 50 {
				if err := files.ReplaceBytes(path, fmt.Append(nil, i, i, i)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(t, g.Wait())
	require.Len(t, read(t, path), 5)
}

func TestOutputGoesThroughLinks(t *testing.T) {
	dir := t.TempDir()
	target, link, second := filepath.Join(dir, "target"), filepath.Join(dir, "link"), filepath.Join(dir, "second")
	require.NoError(t, os.Symlink("target", link))
	require.NoError(t, os.Symlink(link, second))
	for _, text := range []string{"made", "replaced"} { // the link dangles at first
		require.NoError(t, files.Output(second, []byte(text)))
		require.Equal(t, text, read(t, target))
	}
	for _, name := range []string{link, second} {
		info, err := os.Lstat(name)
		require.NoError(t, err)
		require.NotZero(t, info.Mode()&os.ModeSymlink, "a link stays one")
	}
	loop := filepath.Join(dir, "loop")
	require.NoError(t, os.Symlink(loop, loop))
	require.ErrorContains(t, files.Output(loop, nil), "too many links")
	require.Error(t, files.Output(dir, nil))
}

func TestOutputIntoAPipe(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, unix.Mkfifo(fifo, 0o600))
	var got []byte
	var g errgroup.Group
	g.Go(func() (err error) { got, err = os.ReadFile(fifo); return err })
	require.NoError(t, files.Output(fifo, []byte("through")))
	require.NoError(t, g.Wait())
	require.Equal(t, "through", string(got))
	info, err := os.Lstat(fifo)
	require.NoError(t, err)
	require.Equal(t, os.ModeNamedPipe, info.Mode().Type(), "a pipe stays one")
}

// TestOutputToADescriptor is what /dev/stdout and a shell's >(gzip) are: the open file is written to where it is.
func TestOutputToADescriptor(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, files.Output(fmt.Sprintf("/dev/fd/%d", w.Fd()), []byte("one ")))
	require.NoError(t, files.Output(fmt.Sprintf("/proc/self/fd/%d", w.Fd()), []byte("two")))
	require.NoError(t, w.Close())
	got, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, "one two", string(got))

	path := filepath.Join(t.TempDir(), "appended")
	f, err := os.Create(path)
	require.NoError(t, err)
	_, err = f.WriteString("before ")
	require.NoError(t, err)
	link := filepath.Join(t.TempDir(), "stdout")
	require.NoError(t, os.Symlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd()), link))
	require.NoError(t, files.Output(link, []byte("after")))
	require.NoError(t, f.Close())
	require.Equal(t, "before after", read(t, path))
	require.Error(t, files.Output("/proc/self/fd/99999", nil))
}
