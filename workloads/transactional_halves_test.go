package workloads

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/workloads/internal/recorded"
	"github.com/chaeos/chaeos/workloads/phase"
)

// TestHalvesWriteNewPartitionsAfterTheMiddle: what is stored when the worker waits halfway is of one partition, and the
// transaction goes on to others.
func TestHalvesWriteNewPartitionsAfterTheMiddle(t *testing.T) {
	for _, pipeline := range []string{"transactional-halves", "transactional-halves-old-client"} {
		t.Run(pipeline, func(t *testing.T) {
			t.Parallel()
			name := pipeline + "-0"
			r := newRig(t, 1, harness.Load{Rate: 300, RecordSize: 100}, pipeline)
			r.start()
			r.offer(pipeline, 200)
			ctx := soon(t)
			require.NoError(t, r.Arm(ctx, name, phase.Committed))
			require.NoError(t, r.Await(ctx, name))
			before := r.ends("out-" + pipeline)
			require.NoError(t, r.Arm(ctx, name, phase.Halfway))
			require.NoError(t, r.Await(ctx, name))
			middle := r.ends("out-" + pipeline)
			require.NoError(t, r.Arm(ctx, name, phase.Flushed))
			require.NoError(t, r.Await(ctx, name))
			after := r.ends("out-" + pipeline)
			require.Len(t, grown(before, middle), 1, "%v, %v", before, middle)
			require.NotEmpty(t, grown(middle, after))
			require.NotContains(t, grown(middle, after), grown(before, middle)[0])
			require.NoError(t, r.Release(ctx, name))
			r.finish()
			require.Empty(t, r.Incidents())
			lost, doubled := lostAndDoubled(r.counts(pipeline))
			require.Zero(t, lost)
			require.Zero(t, doubled)

			var commits []bool
			for _, e := range recorded.Of[*history.TxnEnded](r.entries(name)) {
				require.Equal(t, history.OutcomeConfirmed, e.Outcome)
				commits = append(commits, e.Commit)
			}
			for i := range commits[1:] {
				require.NotEqual(t, commits[i], commits[i+1], "every other one is aborted: %v", commits)
			}
		})
	}
}

// ends are the high watermarks of a topic's partitions.
func (r *rig) ends(topic string) (all []int64) {
	for p := range int32(partitions) {
		all = append(all, r.kfake.PartitionInfo(topic, p).HighWatermark)
	}
	return all
}

// grown lists the partitions whose end moved.
func grown(before, after []int64) (which []int) {
	for p := range before {
		if after[p] > before[p] {
			which = append(which, p)
		}
	}
	return which
}
