package timeline

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// members makes a run's folder with a worker that was killed and started again, and a source.
func members(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "history"), 0o755))
	record := harness.RunRecord{Version: harness.RecordVersion}
	add := func(role, name string, incarnation int, killed bool, entries ...history.Entry) {
		file := filepath.Join("history", name+"."+string(rune('0'+incarnation))+".hist")
		w, err := history.Create(filepath.Join(dir, file), history.Process{Stamp: history.At(history.When(entries[0])), Name: name})
		require.NoError(t, err)
		require.NoError(t, w.Write(entries...))
		if !killed {
			require.NoError(t, w.Close())
		}
		record.Histories = append(record.Histories, harness.HistoryRecord{File: file, Process: name, Role: role, Number: 3, Incarnation: incarnation, Killed: killed})
	}
	add("worker", "w-0", 2, false, &history.TxnBegin{Stamp: history.At(50)})
	add("worker", "w-0", 1, true, &history.TxnBegin{Stamp: history.At(10)}, &history.TxnBegin{Stamp: history.At(20)})
	add("source", "source", 1, false, &history.Intent{Stamp: history.At(5), First: 0, Count: 4}, &history.Intent{Stamp: history.At(7), First: 4, Count: 2}, &history.Intent{Stamp: history.At(9), First: 4, Count: 2})
	require.NoError(t, record.Save(dir))
	return dir
}

func TestLives(t *testing.T) {
	got, err := Lives(members(t))
	require.NoError(t, err)
	require.Len(t, got, 3)
	require.Equal(t, Life{Member: "w-0", Incarnation: 1, From: 10, To: 20, Killed: true}, got[1])
	require.Equal(t, history.Time(50), got[2].From)
	require.False(t, got[2].Cut)
}

func TestOffered(t *testing.T) {
	id := func(n uint64) history.Identity { return history.Identity{Source: 3, Sequence: n} }
	got, err := Offered(members(t), []history.Identity{id(5), id(0), id(3), id(6), {Source: 9}})
	require.NoError(t, err)
	require.Equal(t, map[history.Identity]history.Time{id(0): 5, id(3): 5, id(5): 7}, got)
}

func TestBegun(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "history"), 0o755))
	w, err := history.Create(filepath.Join(dir, "history/w.hist"), history.Process{Stamp: history.At(1), Name: "w-0", Role: "worker", Pipeline: "p", Incarnation: 2})
	require.NoError(t, err)
	require.NoError(t, w.Write(&history.TxnBegin{Stamp: history.At(5), Txn: 1}, &history.TxnBegin{Stamp: history.At(7), Txn: 2}))
	require.NoError(t, w.Close())
	record := &harness.RunRecord{Version: harness.RecordVersion, Histories: []harness.HistoryRecord{
		{File: "history/w.hist", Role: "worker", Pipeline: "p", Incarnation: 2}, {File: "history/gone.hist", Role: "worker", Pipeline: "p", Incarnation: 3}}}
	require.NoError(t, record.Save(dir))
	second, gone, never := Txn{"p", 0, 2, 2}, Txn{"p", 0, 3, 1}, Txn{"q", 0, 2, 2}
	begun, err := Begun(dir, []Txn{second, gone, never})
	require.NoError(t, err)
	require.Equal(t, map[Txn]history.Time{second: 7}, begun)
}
