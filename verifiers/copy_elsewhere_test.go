package verifiers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/saved"
)

// TestCopyInAnotherInputPartition: partitions are read one by one, and a record that two of them hold is there twice.
func TestCopyInAnotherInputPartition(t *testing.T) {
	for _, copies := range []uint64{0, 1, 3} {
		w := newWorld(60)
		from := committedBatches(w.log(w.record.Plan.Input, 0))[0]
		to := w.log(w.record.Plan.Input, 1)
		for i := range copies {
			again := *from
			again.ProducerID, again.ProducerEpoch, again.BaseSequence = -1, -1, -1
			again.Records, again.Count = []observation.Record{from.Records[i]}, 1
			to.append(&again)
		}
		run, err := saved.Load(w.save(t), saved.DefaultPieces())
		require.NoError(t, err)
		in, err := logs.ReadInput(run, func(*logs.Partition) []logs.Reader { return nil })
		require.NoError(t, err)
		require.Equal(t, copies, in.Twice)
	}
}
