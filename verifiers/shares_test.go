package verifiers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
)

const shareName = "share-group"

// shareWorld is a world with a row more, a share group's.
func shareWorld(n uint64) *world {
	w := makeWorld(n, shareLayout)
	w.fillShare()
	return w
}

var shareLayout = harness.PipelineLayout{
	PipelineInfo: harness.PipelineInfo{Name: shareName, Claims: harness.AtLeastOnce, ShareGroup: true}, Output: "out-" + shareName, Group: "g-share",
}

func (w *world) fillShare() {
	f := w.addHist(shareName+"-0", "worker", shareName, 0, 1)
	f.add(&history.Assigned{At: baseTime, Generation: 1, Partitions: []int32{0, 1, 2}})
	processing := uint64(1)
	for p := range int32(parts) {
		for _, in := range w.log(inTopic, p).batches {
			f.add(polled(in, p, processing))
			w.log("out-"+shareName, p).append(&observation.Batch{ProducerID: 400, Records: output(in, p, life{0, 1}, processing, 0)})
			processing += uint64(len(in.Records))
			at, ranges := in.Records[0].Scheduled, []history.OffsetRange{{Partition: p, From: in.First, To: in.Last + 1}}
			f.add(&history.Outputs{At: at, Outcome: history.OutcomeConfirmed, Counts: []history.PartitionCount{{Partition: p, Count: uint64(len(in.Records))}}},
				&history.Acknowledging{At: at, Ranges: ranges}, &history.Acknowledged{At: at, Outcome: history.OutcomeConfirmed, Ranges: ranges})
		}
	}
}

// startAt makes a share group start at an offset of input partition 1.
func (w *world) startAt(offset int64) {
	w.extra = w.positions()
	for i := range w.extra {
		if w.extra[i].Group == "g-share" && w.extra[i].Partition == 1 {
			w.extra[i].Offset = offset
		}
	}
}

// dropBatch takes the outputs of an input batch of partition 1 away, and with them what its worker said of them: the first
// keep entries of the delivery stay (it polled, stored, began to acknowledge, did).
func (w *world) dropBatch(n, keep int) {
	l := w.log("out-"+shareName, 1)
	for len(l.batches[n].Records) > 0 {
		l.dropRecord(l.batches[n], 0)
	}
	f := w.hist(shareName + "-0")
	at := 1 + 4*(len(w.log(inTopic, 0).batches)+n)
	f.entries = append(f.entries[:at+keep:at+keep], f.entries[at+4:]...)
}

func TestShareGroupCleanRun(t *testing.T) {
	row := rowOf(t, shareWorld(records).judge(t), shareName)
	require.Empty(t, reasons(row))
	require.Equal(t, harness.Held, row.Verdict(harness.AtLeastOnce))
	require.EqualValues(t, records, row.Numbers.Unique)
	require.Zero(t, row.Numbers.OffsetsWentBack+row.Numbers.Unknown)
}

// TestShareGroupLosses: what is below the start, or was acknowledged above it, is lost; the rest may still be handed out.
func TestShareGroupLosses(t *testing.T) {
	for name, c := range map[string]struct {
		keep              int
		start             int64
		lost, unprocessed uint64
		by                map[string]uint64
		says              string
	}{
		"never acknowledged, below the start":    {keep: 1, start: 1000, lost: perBatch, by: map[string]uint64{"given up": perBatch}, says: "handed out and never acknowledged, and the share group now starts at 1000"},
		"never acknowledged, above the start":    {keep: 1, start: 990, unprocessed: perBatch},
		"acknowledged and nowhere, below":        {keep: 4, start: 1000, lost: perBatch, by: map[string]uint64{"acked but absent": perBatch}},
		"acknowledged and nowhere, above":        {keep: 4, start: 990, lost: perBatch, by: map[string]uint64{"acked but absent": perBatch}},
		"acknowledgement never answered, above":  {keep: 3, start: 990, unprocessed: perBatch},
		"acknowledgement never answered, below":  {keep: 3, start: 1000, lost: perBatch, by: map[string]uint64{"acked but absent": perBatch}},
		"acknowledged without having stored, up": {keep: 4, start: 990, lost: perBatch, by: map[string]uint64{"skipped": perBatch}},
	} {
		t.Run(name, func(t *testing.T) {
			w := shareWorld(records)
			w.dropBatch(99, c.keep)
			w.startAt(c.start)
			if c.by["skipped"] > 0 {
				f := w.hist(shareName + "-0")
				for i, e := range f.entries {
					if o, ok := e.(*history.Outputs); ok && i == 1+4*199+1 {
						o.Outcome = history.OutcomeFailed
					}
				}
			}
			row := rowOf(t, w.judge(t), shareName)
			n := row.Numbers
			require.Equal(t, c.lost, n.Lost, reasons(row))
			require.Equal(t, c.unprocessed, n.Unprocessed)
			require.Equal(t, c.by, n.LostBy)
			require.Contains(t, reasons(row), c.says)
		})
	}
}

// TestRedelivery: a second copy by another member is what a share group does, and is called that.
func TestRedelivery(t *testing.T) {
	w := shareWorld(records)
	in := w.log(inTopic, 2).batches[40]
	f := w.addHist(shareName+"-1", "worker", shareName, 1, 1)
	f.add(polled(in, 2, 1))
	w.log("out-"+shareName, 2).append(&observation.Batch{ProducerID: 401, Records: output(in, 2, life{1, 1}, 1, 0)})
	n := rowOf(t, w.judge(t), shareName).Numbers
	require.Equal(t, map[string]uint64{"reprocessed after redelivery": perBatch}, n.DuplicatesBy)
}
