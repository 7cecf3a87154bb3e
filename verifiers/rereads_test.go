package verifiers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// TestRereadsOfOneStint: a worker that is assigned a partition again and then goes back over all of it has done two things, and
// each record's copies come of what happened to that record.
func TestRereadsOfOneStint(t *testing.T) {
	w := newWorld(records)
	f, l := w.hist("idempotent-0"), w.log("out-"+plainName, 1)
	read := func(first, last int, processing uint64) {
		for _, in := range w.log(inTopic, 1).batches[first:last] {
			poll := polled(in, 1, processing)
			poll.At = at(4000 + processing)
			f.add(poll)
			l.append(&observation.Batch{ProducerID: 200, Records: output(in, 1, txns.Of(0, 1), processing, 0)})
			processing += uint64(len(in.Records))
		}
	}
	f.add(&history.Assigned{Stamp: history.At(at(4000)), Generation: 2, Partitions: []int32{1}})
	read(1, 2, 5000)
	read(0, 3, 6000)
	report := w.judge(t)
	require.Equal(t, map[string]uint64{"reprocessed after rebalance": 3 * perBatch, "reprocessed after rewind": perBatch}, figuresOf(rowOf(t, report, plainName).Numbers).DuplicatesBy)
	var why []string
	for _, r := range report.Rereads {
		why = append(why, r.Text)
	}
	require.Len(t, why, 3, "the first after the assignment, and the second by both")
}

// TestTruncatedLengthCountsNothingTwice, and nothing that is still there between two truncations.
func TestTruncatedLengthCountsNothingTwice(t *testing.T) {
	at := func(from, to int64) harness.Truncation { return harness.Truncation{From: from, To: to} }
	cut := causes.Truncations{0: {at(30, 35), at(5, 8), at(6, 7), at(33, 36), at(8, 9)}}
	require.EqualValues(t, 6+4, cut.Length(0))
	require.Zero(t, cut.Length(1))
}
