package verifiers

import (
	"testing"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// readUncommitted gives the transactional row readers that take everything, whatever becomes of it.
func (w *world) readUncommitted() { w.record.Plan.Pipelines[2].ReadUncommittedOutput = true }

// seventh changes what the worker learnt of the row's seventh transaction.
func (w *world) seventh(change func(ending *history.TxnEnding, ended *history.TxnEnded)) {
	var ending *history.TxnEnding
	for _, e := range w.hist("transactional-0").entries {
		switch e := e.(type) {
		case *history.TxnEnding:
			ending = e
		case *history.TxnEnded:
			if e.Txn == 7 {
				change(ending, e)
			}
		}
	}
}

// abortSeventh makes the log's markers of that transaction aborts.
func (w *world) abortSeventh() {
	for p := range int32(parts) {
		w.log("out-"+txnName, p).batches[13].Marker = observation.MarkerAbort
	}
}

// uncommittedFaults are what readers with read_uncommitted are given too much, and what only the log's control records say.
var uncommittedFaults = []planted{
	{"an aborted transaction that is done again, and readers with read_uncommitted", func(w *world) {
		w.readUncommitted()
		f := w.hist("transactional-0")
		f.add(&history.TxnBegin{Stamp: history.At(at(2999)), Txn: 200})
		outputs := &history.Outputs{Stamp: history.At(at(2999)), Txn: 200, Outcome: history.OutcomeConfirmed}
		for p := range int32(parts) {
			in, l := w.log(inTopic, p).batches[99], w.log("out-"+txnName, p)
			l.append(&observation.Batch{ProducerID: 300, Transactional: true, Records: output(in, p, txns.Of(0, 1), 9000+uint64(p)*perBatch, 200)})
			l.append(marker(300, observation.MarkerAbort))
			outputs.Counts = append(outputs.Counts, history.PartitionCount{Partition: p, Count: perBatch})
		}
		f.add(outputs, &history.TxnEnding{Stamp: history.At(at(2999)), Txn: 200}, &history.TxnEnded{Stamp: history.At(at(2999)), Txn: 200, Outcome: history.OutcomeConfirmed})
	}, txnName, func(n *figures) {
		n.AbortedSeen, n.Duplicates, n.DuplicatedInputs, n.DuplicatesBy = u(30), 30, 30, map[string]uint64{"reprocessed": 30}
	}, harness.Violated, 3, "30 extra copies of 30 inputs are visible"},
	{"an aborted transaction, and readers with read_uncommitted", func(w *world) {
		w.readUncommitted()
		w.seventh(func(ending *history.TxnEnding, ended *history.TxnEnded) { ending.Commit, ended.Commit = false, false })
		w.abortSeventh()
	}, txnName, func(n *figures) { n.AbortedSeen = u(30) },
		harness.Violated, 3, "30 outputs are visible though their transaction's abort was confirmed, e.g. of transaction 7 of transactional-0"},
	{"a commit whose markers abort, and readers with read_uncommitted", func(w *world) {
		w.readUncommitted()
		w.abortSeventh()
	}, txnName, func(n *figures) { n.Contradicted, n.CommittedNotSeen = u(3), u(30) },
		harness.Violated, 3, "transaction 7 of transactional-0 (incarnation 1) (commit confirmed): abort in out-transactional/0"},
	{"an abort whose markers commit, and readers with read_uncommitted", func(w *world) {
		w.readUncommitted()
		w.seventh(func(ending *history.TxnEnding, ended *history.TxnEnded) { ending.Commit, ended.Commit = false, false })
	}, txnName, func(n *figures) { n.Contradicted, n.AbortedSeen = u(3), u(30) },
		harness.Violated, 3, "transaction 7 of transactional-0 (incarnation 1) (abort confirmed): commit in out-transactional/0"},
	{"an unknown commit that was aborted, and readers with read_uncommitted", func(w *world) {
		w.readUncommitted()
		w.seventh(func(_ *history.TxnEnding, ended *history.TxnEnded) { ended.Outcome = history.OutcomeUnknown })
		w.abortSeventh()
	}, txnName, func(n *figures) { n.Unknown, n.UnknownCommits, n.UnknownDidNot = 1, 1, 1 },
		harness.Held, 0, "transaction 7 of transactional-0 (incarnation 1): unknown, did not: its outputs are aborted"},
	{"a transaction that was never asked to end, and readers with read_uncommitted", func(w *world) {
		w.readUncommitted()
		w.abortSeventh()
		f := w.hist("transactional-0")
		f.entries = without(f.entries, func(e history.Entry) bool {
			switch e := e.(type) {
			case *history.TxnEnding:
				return e.Txn == 7
			case *history.TxnEnded:
				return e.Txn == 7
			}
			return false
		})
	}, txnName, func(n *figures) { n.Phantom = 30 },
		harness.Violated, 3, "transaction 7 of transactional-0 (incarnation 1) (never asked): 10 outputs in out-transactional/0"},
}

func without(entries []history.Entry, drop func(history.Entry) bool) (left []history.Entry) {
	for _, e := range entries {
		if !drop(e) {
			left = append(left, e)
		}
	}
	return left
}

// TestUncommittedReaders: what a reader is given is one thing, how the brokers ended its transaction another.
func TestUncommittedReaders(t *testing.T) {
	for _, c := range uncommittedFaults {
		t.Run(c.name, c.try)
	}
}
