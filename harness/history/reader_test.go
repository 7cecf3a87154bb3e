package history

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chaeos/chaeos/harness/frame"
)

// TestScanGivesTheSame: entries that are used again say what fresh ones say, whatever came before.
func TestScanGivesTheSame(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		want := append(rapid.SliceOfN(rapid.Custom(drawEntry), 0, 20).Draw(rt, "entries"), &End{Stamp: At(5)})
		path := filepath.Join(t.TempDir(), "x.hist")
		require.NoError(rt, os.WriteFile(path, framesOf(want), 0o600))
		i := 0
		tail, err := Scan(path, func(e Entry) error { equal(rt, want[i], e); i++; return nil })
		require.NoError(rt, err)
		require.True(rt, tail.Whole())
		require.Equal(rt, len(want), i)
	})
}

// TestLargeFrames: frames beyond the reader's buffer are read whole, between small ones; damaged, they are lost whole.
func TestLargeFrames(t *testing.T) {
	big := &Latency{Pipeline: "p", HDR: bytes.Repeat([]byte{7}, 3*format.Buffer)}
	want := []Entry{&Intent{Stamp: At(1)}, big, &Intent{Stamp: At(2)}, big, &End{Stamp: At(3)}}
	data := framesOf(want)
	got, tail, err := readEntries(data)
	require.NoError(t, err)
	require.True(t, tail.Whole())
	for i := range want {
		equal(t, want[i], got[i])
	}
	before := len(framesOf(want[:3]))
	data[before+format.Buffer] ^= 1
	got, tail, err = readEntries(data)
	require.NoError(t, err)
	require.Len(t, got, 3)
	require.EqualValues(t, len(data)-before, tail.LostBytes)
	require.Equal(t, frame.ErrCRC.Error(), tail.Reason)
}

// TestGrowingFile: what is written after a file was opened is not this reading's.
func TestGrowingFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.hist")
	w, err := Create(path, Process{})
	require.NoError(t, err)
	r, err := Open(path)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NotNil(t, r.Next())
	require.Nil(t, r.Next())
	require.Zero(t, r.Tail().LostBytes)
	require.NoError(t, r.Close())
}
