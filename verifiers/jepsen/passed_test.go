package jepsen

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// TestPassed: a pipeline is done with what is below a committed offset, by its group or by a confirmed commit, and with
// what its share group's members acknowledged; not with what a commit without an answer, or an aborted transaction, held.
func TestPassed(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "history"), 0o755))
	h := harness.HistoryRecord{File: "history/w.hist"}
	out, err := history.Create(filepath.Join(dir, h.File), history.Process{})
	require.NoError(t, err)
	at := func(p int32, offset int64) []history.PartitionOffset {
		return []history.PartitionOffset{{Partition: p, Offset: offset}}
	}
	yes, no := history.OutcomeConfirmed, history.OutcomeUnknown
	require.NoError(t, out.Write(
		&history.Committed{Outcome: yes, Offsets: at(0, 10)}, &history.Committed{Outcome: no, Offsets: at(0, 20)},
		&history.Committed{Txn: 1, Outcome: yes, Offsets: at(1, 10)}, &history.TxnEnded{Txn: 1, Commit: true, Outcome: yes},
		&history.Committed{Txn: 2, Outcome: yes, Offsets: at(1, 20)}, &history.TxnEnded{Txn: 2, Commit: false, Outcome: yes},
		&history.Committed{Txn: 3, Outcome: yes, Offsets: at(1, 30)}, &history.TxnEnded{Txn: 3, Commit: true, Outcome: no},
		&history.Acknowledged{Outcome: yes, Ranges: []history.OffsetRange{{Partition: 2, From: 5, To: 7}}},
		&history.Acknowledged{Outcome: no, Ranges: []history.OffsetRange{{Partition: 2, From: 8, To: 9}}},
	))
	require.NoError(t, out.Close())
	index := &observation.Index{Positions: []observation.Position{{Group: "g", Partition: 2, Offset: 3}, {Group: "other", Partition: 0, Offset: 99}}}
	p, err := readPassed(dir, []harness.HistoryRecord{h, {File: "history/missing.hist"}}, index, "g")
	require.NoError(t, err)
	for partition, want := range map[int32][]int64{0: {0, 9}, 1: {0, 9}, 2: {0, 2, 5, 6}} {
		for _, offset := range want {
			require.True(t, p.has(partition, offset), "%d@%d", partition, offset)
		}
	}
	for partition, gone := range map[int32][]int64{0: {10, 19}, 1: {10, 20, 29}, 2: {3, 4, 7, 8}, 3: {0}} {
		for _, offset := range gone {
			require.False(t, p.has(partition, offset), "%d@%d", partition, offset)
		}
	}
}
