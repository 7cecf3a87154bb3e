package verifiers

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// replica changes what the read-back says of the first follower of a partition.
func (w *world) replica(topic string, p int32, change func(*observation.Replica)) {
	before := w.tweak
	w.tweak = func(x *observation.Index) {
		if before != nil {
			before(x)
		}
		change(&x.Partition(topic, p).Replicas[0])
	}
}

// forked gives a follower's log another batch at an offset, of as many records.
func forked(offset, records int64) func(*observation.Replica) {
	return func(r *observation.Replica) {
		at := observation.Copy{First: offset, Last: offset + records - 1, LeaderEpoch: 2, ProducerID: 1}
		other := at
		other.CRC++
		r.Compare(map[int64]observation.Copy{offset: at}, map[int64]observation.Copy{offset: other}, 0)
	}
}

// replicaControls are plants in the followers' logs.
var replicaControls = []struct {
	name  string
	topic string
	do    func(*observation.Replica)
	// rows are those that the log belongs to, source the shared source's.
	rows    []string
	verdict harness.Verdict
	forks   uint64
	says    string
}{
	{"one record", "out-" + srcName, forked(7, 1), []string{srcName}, harness.Violated, 1, "at 1 offsets, first at offset 7: leader epoch 2, producer id 1 epoch 0 sequence 0, CRC 00000000 on broker 1"},
	{"a batch", "out-" + txnName, forked(200, 10), []string{txnName}, harness.Violated, 10, "CRC 00000001 on broker 2"},
	{"in the input", inTopic, forked(200, 10), []string{plainName, txnName, harness.SourceRow}, harness.Violated, 10, "in/1: the replica on broker 2 differs"},
	{"a batch that the follower lacks", "out-" + plainName, func(r *observation.Replica) {
		r.Compare(map[int64]observation.Copy{0: {Last: 9}, 10: {First: 10, Last: 19}}, map[int64]observation.Copy{0: {Last: 9}}, 0)
	}, []string{plainName}, harness.Violated, 10, "first at offset 10: leader epoch 0"},
	{"a batch that only the follower has", "out-" + plainName, func(r *observation.Replica) {
		r.Compare(map[int64]observation.Copy{0: {Last: 9}}, map[int64]observation.Copy{0: {Last: 9}, 10: {First: 10, Last: 12}}, 0)
	}, []string{plainName}, harness.Violated, 3, "first at offset 10: nothing on broker 1"},
	{"batches that begin elsewhere", "out-" + plainName, func(r *observation.Replica) {
		r.Compare(map[int64]observation.Copy{0: {Last: 9}, 10: {First: 10, Last: 19}}, map[int64]observation.Copy{0: {Last: 14}, 15: {First: 15, Last: 19}}, 0)
	}, []string{plainName}, harness.Violated, 20, "first at offset 0"},
	{"a log that ends below the high watermark", "out-" + plainName, func(r *observation.Replica) { r.Reached -= 10 }, []string{plainName}, harness.Inconclusive, 0,
		"ends at offset 990, below the high watermark 1000"},
	{"a log that can't be read", "out-" + plainName, func(r *observation.Replica) { r.Failure = "no answer" }, []string{plainName}, harness.Inconclusive, 0, "could not be compared: no answer"},
	{"an input that can't be read", inTopic, func(r *observation.Replica) { r.Failure = "no answer" }, []string{plainName, txnName, harness.SourceRow}, harness.Inconclusive, 0, "could not be compared"},
	{"the first record", "out-" + plainName, forked(0, 1), []string{plainName}, harness.Violated, 1, "first at offset 0: "},
	{"the last record", "out-" + plainName, forked(999, 1), []string{plainName}, harness.Violated, 1, "first at offset 999: "},
	{"the same CRC over different damage", "out-" + plainName, func(r *observation.Replica) {
		at := observation.Copy{First: 10, Last: 19, Damaged: true, Content: 1}
		other := at
		other.Content = 2
		r.Compare(map[int64]observation.Copy{10: at}, map[int64]observation.Copy{10: other}, 0)
	}, []string{plainName}, harness.Violated, 10, "first at offset 10: "},
	{"a fork in a log that can't be read to its end", "out-" + plainName, func(r *observation.Replica) {
		forked(200, 10)(r)
		r.Failure, r.Reached = "no answer", 500
	}, []string{plainName}, harness.Violated, 10, "could not be compared: no answer"},
	{"an in-sync log that ends early", "out-" + plainName, func(r *observation.Replica) {
		r.Failure, r.Reached, r.Own = "it sends nothing", 990, &observation.Bounds{Start: 0, End: 990}
	}, []string{plainName}, harness.Violated, 10, "is in sync and lacks 10 offsets: it holds 0 to 990, the leader 0 to 1000"},
	{"an in-sync log that begins later", "out-" + plainName, func(r *observation.Replica) {
		r.Failure, r.Reached, r.Own = "OFFSET_OUT_OF_RANGE", 0, &observation.Bounds{Start: 20, End: 1000}
	}, []string{plainName}, harness.Violated, 20, "is in sync and lacks 20 offsets: it holds 20 to 1000"},
	{"an input that begins later and ends early", inTopic, func(r *observation.Replica) {
		r.Failure, r.Reached, r.Own = "OFFSET_OUT_OF_RANGE", 0, &observation.Bounds{Start: 20, End: 990}
	}, []string{plainName, txnName, harness.SourceRow}, harness.Violated, 30, "is in sync and lacks 30 offsets"},
	{"a log that can't be read and is whole by its own bounds", "out-" + plainName, func(r *observation.Replica) {
		r.Failure, r.Own = "no answer", &observation.Bounds{Start: 0, End: 1000}
	}, []string{plainName}, harness.Inconclusive, 0, "could not be compared: no answer"},
	{"a replica that is not in sync", "out-" + plainName, func(r *observation.Replica) { r.OutOfSync, r.Reached = true, 0 }, nil, harness.Held, 0, "is not in sync, and was not compared"},
}

func TestReplicas(t *testing.T) {
	for _, c := range replicaControls {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(records)
			w.replica(c.topic, 1, c.do)
			report := w.judge(t)
			said := 0
			for _, row := range report.Rows {
				concerned := slices.Contains(c.rows, row.Pipeline)
				verdict, forks := harness.Held, uint64(0)
				if concerned {
					verdict, forks = c.verdict, c.forks
				}
				for _, v := range row.Verdicts {
					require.Equal(t, verdict, v.Verdict, "%s %s: %s", row.Pipeline, v.Guarantee, reasons(row))
				}
				require.Equal(t, forks, row.Numbers.Count("forks"), row.Pipeline)
				if concerned {
					require.Contains(t, reasons(row), c.says)
					said++
				}
			}
			require.Equal(t, len(c.rows), said)
			if c.rows == nil {
				require.Contains(t, reasons(rowOf(t, report, plainName)), c.says)
			}
		})
	}
}

// TestReplicaThatDeletedEarlier: what a recorded fault deleted is no loss, whichever replica was first. Other offsets are.
func TestReplicaThatDeletedEarlier(t *testing.T) {
	for _, c := range []struct {
		to, end int64
		verdict harness.Verdict
		forks   uint64
	}{
		{20, 1000, harness.Inconclusive, 0},
		{19, 1000, harness.Violated, 20},
		{20, 990, harness.Violated, 10},
	} {
		w := newWorld(records)
		f := w.fault(2000, 3000)
		f.Lasting = []harness.Lasting{{What: harness.LogStartMoved, Topic: "out-" + plainName, Partition: 1, To: c.to}}
		w.replica("out-"+plainName, 1, func(r *observation.Replica) {
			r.Failure, r.Reached, r.Own = "OFFSET_OUT_OF_RANGE", 0, &observation.Bounds{Start: 20, End: c.end}
		})
		row := rowOf(t, w.judge(t), plainName)
		require.Equal(t, c.forks, row.Numbers.Count("forks"), c)
		require.Equal(t, c.verdict, row.Verdicts[0].Verdict, reasons(row))
	}
}

// TestReplicasOfOldRuns: a version that compared no replicas leaves no doubt, and a note.
func TestReplicasOfOldRuns(t *testing.T) {
	w := newWorld(records)
	w.tweak = func(x *observation.Index) {
		x.Replicas = nil
		for i := range x.Partitions {
			x.Partitions[i].Replicas = nil
		}
	}
	for _, row := range w.judge(t).Rows {
		require.Nil(t, row.Numbers.Value("forks"))
		require.Equal(t, harness.Held, row.Verdicts[0].Verdict)
		if row.Pipeline != harness.SourceRow {
			require.Contains(t, row.Notes, "replicas were not compared with their leaders when the logs were read back")
		}
	}
}
