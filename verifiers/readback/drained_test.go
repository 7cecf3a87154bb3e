package readback

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/verifiers/internal/fakecluster"
)

// TestDrainedPassesMarkersAndAborts: a group that has committed everything but a tail of markers and aborted records has
// drained the log.
func TestDrainedPassesMarkersAndAborts(t *testing.T) {
	c := fakecluster.New(t, parts, "in", "out")
	ctx := within(t)
	writer := c.Client(t, "source", kgo.TransactionalID("source"), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	transaction := func(commit kgo.TransactionEndTry, sequences ...uint64) {
		require.NoError(t, writer.BeginTransaction())
		for _, s := range sequences {
			require.NoError(t, writer.ProduceSync(ctx, input(0, s)).FirstErr())
		}
		require.NoError(t, writer.EndTransaction(ctx, commit))
	}
	commit := func(offset int64) {
		offsets := kadm.Offsets{}
		offsets.AddOffset("in", 0, offset, -1)
		require.NoError(t, kadm.NewClient(writer).CommitAllOffsets(ctx, "g", offsets))
	}
	drained := func() bool {
		ok, why, err := Drained(ctx, brokersOf(c, writer), plan)
		require.NoError(t, err)
		require.Equal(t, ok, why == "")
		return ok
	}
	transaction(kgo.TryCommit, 0, 1)
	commit(1)
	require.False(t, drained(), "a record is left")
	commit(2)
	require.True(t, drained(), "only a marker is left")
	transaction(kgo.TryAbort, 2, 3)
	require.True(t, drained(), "only markers and aborted records are left")
	transaction(kgo.TryCommit, 4)
	require.False(t, drained(), "a record comes after them")
	commit(7)
	require.True(t, drained())
}
