package verifiers

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/txns"
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
	f.add(&history.Assigned{Stamp: history.At(baseTime), Generation: 1, Partitions: []int32{0, 1, 2}})
	processing := uint64(1)
	for p := range int32(parts) {
		for _, in := range w.log(inTopic, p).batches {
			f.add(polled(in, p, processing))
			w.log("out-"+shareName, p).append(&observation.Batch{ProducerID: 400, Records: output(in, p, txns.Of(0, 1), processing, 0)})
			processing += uint64(len(in.Records))
			at, ranges := in.Records[0].Scheduled, []history.OffsetRange{{Partition: p, From: in.First, To: in.Last + 1}}
			f.add(&history.Outputs{Stamp: history.At(at), Outcome: history.OutcomeConfirmed, Counts: []history.PartitionCount{{Partition: p, Count: uint64(len(in.Records))}}},
				&history.Acknowledging{Stamp: history.At(at), Ranges: ranges}, &history.Acknowledged{Stamp: history.At(at), Outcome: history.OutcomeConfirmed, Ranges: ranges})
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
	require.EqualValues(t, records, figuresOf(row.Numbers).Unique)
	require.Zero(t, figuresOf(row.Numbers).OffsetsWentBack+figuresOf(row.Numbers).Unknown)
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
			n := figuresOf(row.Numbers)
			require.Equal(t, c.lost, n.Lost, reasons(row))
			require.Equal(t, c.unprocessed, n.Unprocessed)
			require.Equal(t, c.by, n.LostBy)
			require.Contains(t, reasons(row), c.says)
		})
	}
}

// again hands the last batch of input partition 2 out once more, to another member at some moment, who stores it, too.
func (w *world) again(at history.Time) {
	in := w.log(inTopic, 2).batches[99]
	f := w.addHist(shareName+"-1", "worker", shareName, 1, 1)
	second := polled(in, 2, 1)
	second.At = at
	f.add(second, &history.Redelivered{Stamp: history.At(at), Partition: 2, From: in.First, To: in.Last + 1, Count: 2})
	w.log("out-"+shareName, 2).append(&observation.Batch{ProducerID: 401, Records: output(in, 2, txns.Of(1, 1), 1, 0)})
}

// TestRedelivery: a second copy by another member is what a share group does, and the histories say what became of the first
// delivery.
func TestRedelivery(t *testing.T) {
	const last = "10 duplicates after a redelivery: share-group-1 (incarnation 1) was handed records of input partition 2 from offset 990 on at "
	had := ": share-group-0 (incarnation 1), which had them from 3.0s on, "
	soon, late := at(5000), at(60_000)
	// held keeps the first member alive, with the batch in hand: it never began to acknowledge it.
	held := func(f *histFile) {
		f.entries = append(f.entries[:len(f.entries)-2], &history.Phase{Stamp: history.At(late + history.Time(time.Second)), Name: "flushed"})
	}
	for name, c := range map[string]struct {
		first   func(f *histFile)
		again   history.Time
		release string
		says    string
	}{
		"killed with it": {func(f *histFile) {
			f.entries, f.noEnd, f.record.Killed = f.entries[:len(f.entries)-2], true, true
		}, soon, "died", last + "5.0s (delivery 2 at most by the brokers' count)" + had + "was killed with them in hand"},
		"left with it": {func(f *histFile) { f.entries = f.entries[:len(f.entries)-2] }, history.Now() + history.Time(time.Hour), "left",
			had + "left the group with them in hand"},
		"refused": {func(f *histFile) {
			a := f.entries[len(f.entries)-1].(*history.Acknowledged)
			a.Outcome, a.Reason = history.OutcomeUnknown, "INVALID_RECORD_STATE"
			f.add(&history.Phase{Stamp: history.At(late)})
		}, soon, "refused", had + "was refused its acknowledgement (INVALID_RECORD_STATE)"},
		"acknowledged": {func(*histFile) {}, soon, "acknowledged", had + "had acknowledged them, and the acknowledgement was confirmed"},
		"lock expired": {held, late, "expired", had + "kept them longer than their lock of 30s"},
		"forgotten":    {held, soon, "lost", had + "still had them, within its lock"},
	} {
		t.Run(name, func(t *testing.T) {
			w := shareWorld(records)
			c.first(w.hist(shareName + "-0"))
			w.again(c.again)
			report := w.judge(t)
			row := rowOf(t, report, shareName)
			require.Equal(t, map[string]uint64{"reprocessed after redelivery": perBatch}, figuresOf(row.Numbers).DuplicatesBy)
			require.Len(t, report.Rereads, 1)
			x := report.Rereads[0]
			require.Equal(t, c.release, x.Release, x.Text)
			require.Contains(t, x.Text, c.says)
			require.Contains(t, reasons(row), x.Text)
			require.EqualValues(t, 2, x.Deliveries)
			require.EqualValues(t, perBatch, x.Copies)
		})
	}
}

// TestRedeliveryUnderAShorterLock: the run's own property says how long a member may keep a record.
func TestRedeliveryUnderAShorterLock(t *testing.T) {
	w := shareWorld(records)
	w.record.Properties = map[string]string{causes.LockDuration: "1500"}
	f := w.hist(shareName + "-0")
	f.entries = append(f.entries[:len(f.entries)-2], &history.Phase{Stamp: history.At(at(9000)), Name: "flushed"})
	w.again(at(5000))
	require.Contains(t, w.judge(t).Rereads[0].Text, "kept them longer than their lock of 1.5s")
}

// TestRedeliveryOfALateWrite: where the first delivery's output is the later one in the log, the second delivery is to blame
// all the same.
func TestRedeliveryOfALateWrite(t *testing.T) {
	w := shareWorld(records)
	w.again(at(5000))
	l := w.log("out-"+shareName, 2)
	l.batches[99], l.batches[100] = l.batches[100], l.batches[99]
	l.renumber()
	x := w.judge(t).Rereads[0]
	require.Equal(t, "share-group-1", x.By.Name)
	require.Equal(t, "share-group-0", x.Before.Name)
}
