package timeline

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observe"
)

func observed(t *testing.T, entries ...history.Entry) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "history"), 0o755))
	w, err := history.Create(filepath.Join(dir, observe.SamplesFile), history.Process{Name: "observer-samples"})
	require.NoError(t, err)
	require.NoError(t, w.Write(entries...))
	require.NoError(t, w.Close())
	return dir
}

func view(at history.Time, broker, leader, epoch int32, isr ...int32) *history.Replicas {
	return &history.Replicas{Stamp: history.At(at), Broker: broker, Topic: "out", Leader: leader, LeaderEpoch: epoch, ISR: isr}
}

// TestLeadersOfACutOffBroker: broker 1 leads and is cut off; its own view freezes, the others' counts, and at the end it
// learns what they know.
func TestLeadersOfACutOffBroker(t *testing.T) {
	dir := observed(t,
		view(10, 1, 1, 5, 1, 2, 3), view(11, 2, 1, 5, 1, 2, 3), view(12, 3, 1, 5, 1, 2, 3),
		view(20, 2, 2, 6, 2, 3), view(21, 3, 2, 6, 2, 3),
		view(30, 1, 2, 6, 2, 3), view(31, 1, 2, 6, 1, 2, 3), view(32, 2, 2, 6, 1, 2, 3),
	)
	got, err := Leaders(dir)
	require.NoError(t, err)
	require.Equal(t, []Leadership{
		{Topic: "out", From: 10, To: 20, Leader: 1, LeaderEpoch: 5, ISR: []int32{1, 2, 3}},
		{Topic: "out", From: 20, To: 32, Leader: 2, LeaderEpoch: 6, ISR: []int32{2, 3}},
		{Topic: "out", From: 32, Leader: 2, LeaderEpoch: 6, ISR: []int32{1, 2, 3}},
	}, got)
}

func TestLeadersOfARunWithoutObserver(t *testing.T) {
	got, err := Leaders(t.TempDir())
	require.NoError(t, err)
	require.Empty(t, got)
}
