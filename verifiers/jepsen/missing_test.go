package jepsen_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/jepsen"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// TestWhatIsMissing: a history of what is left still has Jepsen's forms, and claims nothing of what is gone. What the
// log holds of a worker without a history may have been written by anyone, at any time.
func TestWhatIsMissing(t *testing.T) {
	remove := func(s *saved, file string) { require.NoError(s.t, os.RemoveAll(filepath.Join(s.dir, file))) }
	for _, c := range []struct {
		name string
		do   func(*saved)
		want tally
	}{
		{"a worker's history", func(s *saved) { remove(s, "history/idempotent-0.1.hist") }, tally{}},
		{"the source's history", func(s *saved) { remove(s, "history/source-input.1.hist") }, tally{}},
		{"the observer's history", func(s *saved) { remove(s, "history/observer-live.hist") }, tally{}},
		{"the end of a worker's history", func(s *saved) {
			path := filepath.Join(s.dir, "history/idempotent-0.1.hist")
			info, err := os.Stat(path)
			require.NoError(s.t, err)
			require.NoError(s.t, os.Truncate(path, info.Size()/2))
		}, tally{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := unpack(t, "baseline")
			c.do(s)
			l := s.layout(plain)
			require.Equal(t, c.want, byFamily(analyse(s.export()[plain]).anomalies(), familiesOf(s.record.Plan, l), "G0"))
		})
	}
}

// TestNoReadBack: without logs all that was acknowledged is unseen, and the polls of workers say how many came.
func TestNoReadBack(t *testing.T) {
	s := unpack(t, "baseline")
	require.NoError(t, os.RemoveAll(filepath.Join(s.dir, observation.Folder)))
	histories := s.export()
	acked := 0
	for _, o := range histories[producer] {
		if o.kind == "ok" {
			for _, list := range o.sends {
				acked += len(list)
			}
		}
	}
	require.Positive(t, acked)
	f := familiesOf(s.record.Plan, s.layout(producer))
	require.Equal(t, tally{"unseen": {0, acked, 0}}, byFamily(analyse(histories[producer]).anomalies(), f))
	polls := slices.DeleteFunc(histories[plain], func(o *operation) bool { return o.kind != "ok" || !strings.HasPrefix(o.by, plain) || o.f != "poll" })
	require.NotEmpty(t, polls)
	for _, o := range polls {
		require.Len(t, o.count, 1)
		require.Empty(t, o.reads[0])
	}
}

// TestExportRefuses: no run, no file; a pipeline can't name a file elsewhere; nothing half-written is left.
func TestExportRefuses(t *testing.T) {
	require.ErrorContains(t, jepsen.Export(t.TempDir(), t.TempDir()), harness.RecordFile)
	s := unpack(t, "baseline")
	s.record.Plan.Pipelines[0].Name = "../elsewhere"
	require.NoError(t, s.record.Save(s.dir))
	require.ErrorContains(t, jepsen.Export(s.dir, t.TempDir()), "can't name a file")

	s = unpack(t, "baseline")
	h := s.record.Histories[0]
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, h.File), []byte("chaeosH\x09 of another version"), 0o644))
	into := t.TempDir()
	require.Error(t, jepsen.Export(s.dir, into))
	left, err := filepath.Glob(filepath.Join(into, "*.tmp"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestTheSameFolderGivesTheSameBytes: nothing depends on the order of maps or of what runs at once.
func TestTheSameFolderGivesTheSameBytes(t *testing.T) {
	s := unpack(t, "worker-kill")
	one, two := t.TempDir(), t.TempDir()
	require.NoError(t, jepsen.Export(s.dir, one))
	require.NoError(t, jepsen.Export(s.dir, two))
	for _, l := range s.record.Plan.Pipelines {
		a, err := os.ReadFile(filepath.Join(one, l.Name+jepsen.Extension))
		require.NoError(t, err)
		b, err := os.ReadFile(filepath.Join(two, l.Name+jepsen.Extension))
		require.NoError(t, err)
		require.True(t, string(a) == string(b), l.Name)
	}
}
