package verifiers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// finalOffset makes the brokers give a final committed offset for one input partition of a group.
func (w *world) finalOffset(group string, partition int32, offset int64) {
	w.extra = w.positions()
	for i := range w.extra {
		if w.extra[i].Group == group && w.extra[i].Partition == partition {
			w.extra[i].Offset = offset
		}
	}
}

// commitOf is a commit of partition 1 as a worker records it, asked for and answered at two moments.
func commitOf(offset int64, asked, answered uint64, outcome history.Outcome) []history.Entry {
	offsets := []history.PartitionOffset{{Partition: 1, Offset: offset}}
	return []history.Entry{&history.Committing{Stamp: history.At(at(asked)), Offsets: offsets}, &history.Committed{Stamp: history.At(at(answered)), Outcome: outcome, Offsets: offsets}}
}

// otherWorker adds one that made these commits.
func (w *world) otherWorker(entries []history.Entry) {
	f := w.addHist("idempotent-1", "worker", plainName, 1, 1)
	f.add(entries...)
}

// lasting adds a fault that took effect and left something.
func (w *world) lasting(l harness.Lasting) {
	w.fault(1000, 2000).Lasting = []harness.Lasting{l}
}

// TestLostCommits: a committed offset that went back is a lost commit only if no commit of it can have been the last.
func TestLostCommits(t *testing.T) {
	const (
		lost     = "the brokers lost confirmed offset commits in 1 input partitions"
		explains = "committed offsets went back in 1 input partitions: 1000 was confirmed in input partition 1, 500 is committed now"
	)
	for _, c := range []struct {
		name    string
		do      func(w *world)
		atMost  harness.Verdict
		atLeast harness.Verdict
		says    string
	}{
		{"no later commit", func(*world) {}, harness.Violated, harness.Held, lost},
		{"the group commits it later", func(w *world) { w.hist("idempotent-0").add(commitOf(500, 5000, 5001, history.OutcomeConfirmed)...) }, harness.Held, harness.Held, explains},
		{"another worker commits it later", func(w *world) { w.otherWorker(commitOf(500, 5000, 5001, history.OutcomeConfirmed)) }, harness.Held, harness.Held, explains},
		{"another worker committed it long before", func(w *world) { w.otherWorker(commitOf(500, 1000, 1001, history.OutcomeConfirmed)) }, harness.Violated, harness.Held, lost},
		{"another worker's commit of it was answered later", func(w *world) { w.otherWorker(commitOf(500, 1000, 5001, history.OutcomeConfirmed)) }, harness.Held, harness.Held, explains},
		{"a commit of it was never answered", func(w *world) { w.otherWorker(commitOf(500, 1000, 1001, history.OutcomeUnknown)) }, harness.Held, harness.Held, explains},
		{"a commit of it was asked for when its worker was killed", func(w *world) {
			w.otherWorker(commitOf(500, 1000, 0, history.OutcomeUnknown)[:1])
			f := w.hist("idempotent-1")
			f.noEnd, f.record.Killed = true, true
		}, harness.Held, harness.Held, explains},
		{"a commit of another offset later", func(w *world) { w.otherWorker(commitOf(400, 5000, 5001, history.OutcomeConfirmed)) }, harness.Violated, harness.Held, lost},
		{"a fault deleted it", func(w *world) {
			w.lasting(harness.Lasting{What: harness.OffsetDeleted, Group: "g-plain", Topic: inTopic, Partition: 1, From: 700, To: -1})
		}, harness.Held, harness.Held, explains},
		{"a fault deleted another partition's", func(w *world) {
			w.lasting(harness.Lasting{What: harness.OffsetDeleted, Group: "g-plain", Topic: inTopic, Partition: 2, From: 700, To: -1})
		}, harness.Violated, harness.Held, lost},
		{"a fault deleted another group's", func(w *world) {
			w.lasting(harness.Lasting{What: harness.OffsetDeleted, Group: "g-txn", Topic: inTopic, Partition: 1, From: 700, To: -1})
		}, harness.Violated, harness.Held, lost},
		{"the offsets' log was cut", func(w *world) {
			w.lasting(harness.Lasting{What: harness.LogWasCut, Topic: "__consumer_offsets", Partition: 1, From: 90, To: 50})
		},
			harness.Held, harness.Held, explains},
		{"another log was cut", func(w *world) {
			w.lasting(harness.Lasting{What: harness.LogWasCut, Topic: inTopic, Partition: 1, From: 90, To: 50})
		},
			harness.Violated, harness.Held, lost},
		{"a worker's history is cut", func(w *world) { w.hist("idempotent-0").noEnd = true }, harness.Inconclusive, harness.Inconclusive, "is in a missing part of a history"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(records)
			w.finalOffset("g-plain", 1, 500)
			c.do(w)
			row := rowOf(t, w.judge(t), plainName)
			require.EqualValues(t, 1, row.Numbers.Count("offsetsWentBack"))
			require.Contains(t, reasons(row), c.says)
			require.Equal(t, c.atMost, row.Verdict(harness.AtMostOnce), reasons(row))
			require.Equal(t, c.atLeast, row.Verdict(harness.AtLeastOnce), reasons(row))
		})
	}
}

// TestLostTransactionalCommit: a transaction's offsets are marked before the next transaction writes anything.
func TestLostTransactionalCommit(t *testing.T) {
	w := newWorld(records)
	w.finalOffset("g-txn", 1, 500)
	row := rowOf(t, w.judge(t), txnName)
	require.Contains(t, reasons(row), "the brokers lost confirmed offset commits in 1 input partitions")
	require.Equal(t, harness.Violated, row.Verdict(harness.ExactlyOnce))
	f := w.hist("transactional-0") // a later transaction that commits it explains it
	offsets := []history.PartitionOffset{{Partition: 1, Offset: 500}}
	f.add(&history.TxnBegin{Stamp: history.At(at(5000)), Txn: 500}, &history.TxnEnding{Stamp: history.At(at(5000)), Txn: 500, Commit: true},
		&history.Committing{Stamp: history.At(at(5000)), Txn: 500, Offsets: offsets}, &history.Committed{Stamp: history.At(at(5001)), Txn: 500, Outcome: history.OutcomeConfirmed, Offsets: offsets},
		&history.TxnEnded{Stamp: history.At(at(5001)), Txn: 500, Commit: true, Outcome: history.OutcomeConfirmed})
	require.NotContains(t, reasons(rowOf(t, w.judge(t), txnName)), "the brokers lost")
}
