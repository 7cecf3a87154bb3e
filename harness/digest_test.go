package harness

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// digested is a folder with all parts of a run, and its digest.
func digested(t *testing.T) (string, *RunRecord) {
	dir := t.TempDir()
	record := &RunRecord{Version: RecordVersion, Name: "x", Digested: true}
	require.NoError(t, record.Save(dir))
	for _, file := range []string{"history/a.hist", "history/a.log", "readback/readback.json", "readback/in-0.obs"} {
		path := filepath.Join(dir, file)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(file), 0o644))
	}
	require.NoError(t, WriteDigest(dir))
	return dir, record
}

func TestDigestNamesWhatWasChanged(t *testing.T) {
	write := func(file, text string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644))
		}
	}
	remove := func(file string) func(*testing.T, string) {
		return func(t *testing.T, dir string) { require.NoError(t, os.RemoveAll(filepath.Join(dir, file))) }
	}
	for _, c := range []struct {
		name string
		do   func(*testing.T, string)
		want []string
	}{
		{"nothing", func(*testing.T, string) {}, nil},
		{"evidence is written later", write("evidence/anomalies.parquet", "x"), nil},
		{"a process' own log grows", write("history/a.log", "longer"), nil},
		{"a history of the same size", write("history/a.hist", "history/b.hist"), []string{"history/a.hist was changed since the run left it"}},
		{"a record", write("run.json", "{}"), []string{"run.json was changed since the run left it"}},
		{"a log gone", remove("readback/in-0.obs"), []string{"readback/in-0.obs is missing; the run left it"}},
		{"the digest gone", remove(DigestFile), []string{"the folder has lost its digest.json"}},
		{"the digest is not one", write(DigestFile, "[]"), []string{"digest.json can't be read"}},
		{"an empty digest", write(DigestFile, `{"version":1}`), []string{"digest.json lacks run.json"}},
		{"a folder outside", write(DigestFile, `{"version":1,"files":[{"file":"../x"}]}`),
			[]string{"digest.json lacks run.json", `digest.json names "../x", which is outside the folder`}},
		{"a link", func(t *testing.T, dir string) {
			path := filepath.Join(dir, "history/a.hist")
			require.NoError(t, os.Remove(path))
			require.NoError(t, os.Symlink("/dev/zero", path))
		}, []string{"history/a.hist can't be compared with its digest: history/a.hist is not a regular file"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, record := digested(t)
			c.do(t, dir)
			got, err := CheckDigest(dir, record)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestOldFoldersHaveNoDigest(t *testing.T) {
	got, err := CheckDigest(t.TempDir(), &RunRecord{})
	require.NoError(t, err)
	require.Empty(t, got)
}
