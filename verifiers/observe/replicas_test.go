package observe

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/verifiers/internal/fakecluster"
)

// TestReplicasAreRecordedWhenTheyChange: each broker's view once, and again only after a leader has moved.
func TestReplicasAreRecordedWhenTheyChange(t *testing.T) {
	c := fakecluster.New(t, parts, "in", "out-src", "out-txn")
	o, dir := start(t, c)
	views := func() (of map[int32][]history.Replicas) {
		of = map[int32][]history.Replicas{}
		for _, e := range written(t, dir) {
			if r, ok := e.(*history.Replicas); ok && r.Topic == "out-txn" && r.Partition == 1 {
				of[r.Broker] = append(of[r.Broker], *r)
			}
		}
		return of
	}
	nodes := len(c.Info().Nodes)
	require.NoError(t, wait.Poll(within(t), 20*time.Millisecond, func() (bool, error) { return len(views()) == nodes, nil }))
	first := views()[1][0]
	require.NotEqual(t, int32(-1), first.Leader)
	require.NotEmpty(t, first.ISR)
	next := (first.Leader + 1) % int32(nodes)
	require.NoError(t, c.Fake.MoveTopicPartition("out-txn", 1, next))
	require.NoError(t, wait.Poll(within(t), 20*time.Millisecond, func() (bool, error) {
		for _, view := range views() {
			if len(view) < 2 || view[len(view)-1].Leader != next {
				return false, nil
			}
		}
		return true, nil
	}))
	require.NoError(t, o.Stop(within(t)))
	for broker, view := range views() {
		require.Len(t, view, 2, "broker %d's view changed once", broker)
	}
}
