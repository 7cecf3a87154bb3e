package jepsen

import (
	"slices"

	"github.com/chaeos/chaeos/harness/history"
)

// txn is a worker's transaction, from the first poll that is part of it to its end.
type txn struct {
	op *op
	// ordinal is the worker's number of it, 0 before it has begun.
	ordinal uint64
	// asked is set once its commit was asked for.
	asked bool
	// confirmed counts the outputs that were stored in it, by output partition.
	confirmed map[int32]uint64
	// held are the partitions held after each rebalance meanwhile.
	held [][]int32
}

// open makes sure that there is a transaction for polls.
func (w *worker) open(at history.Time, q *queue) {
	if w.txn != nil {
		return
	}
	w.txn = &txn{op: w.op(fTxn, nil), confirmed: map[int32]uint64{}}
	q.add(at, false, w.txn.op)
}

// begin opens a transaction. One that is open still was left behind: its session was lost.
func (w *worker) begin(e *history.TxnBegin, q *queue) error {
	if !w.transacts() {
		return nil
	}
	if t := w.txn; t != nil && t.ordinal > 0 {
		outcome := fail
		if t.asked {
			outcome = info
		}
		if err := w.finish(e.At, outcome, "", q); err != nil {
			return err
		}
	}
	w.open(e.At, q)
	w.txn.ordinal = e.Txn
	return nil
}

// finish completes the open transaction, or polls that no transaction followed.
func (w *worker) finish(at history.Time, outcome, reason string, q *queue) error {
	t := w.txn
	w.txn = nil
	t.op.outcome, t.op.reason = outcome, reason
	if t.ordinal > 0 && w.contains() {
		if err := w.fill(t); err != nil {
			return err
		}
	}
	switch {
	case len(t.op.sends) == 0:
		t.op.f = fPoll
	case len(t.op.polls) == 0:
		t.op.f = fSend
	}
	q.add(at, true, t.op)
	if outcome == info && !w.ended {
		w.process = w.row.processes.another()
		t.held = append(t.held, w.holding())
	}
	for _, keys := range t.held {
		q.both(at, w.op(fSubscribe, keys))
	}
	return nil
}

// fill gives a transaction its sends: what the logs hold of it, and where it was committed and all its outputs were
// stored, also what they lack.
func (w *worker) fill(t *txn) error {
	there := w.outputs.take(func(c copied) bool { return c.txn <= t.ordinal })
	if t.op.outcome == ok {
		missing, err := w.missing(t, there)
		if err != nil {
			return err
		}
		there = append(there, missing...)
	}
	named := map[int32]uint64{}
	for _, c := range there {
		named[c.number]++
		t.op.sends = append(t.op.sends, w.sendOf(c))
	}
	for number, n := range t.confirmed {
		if t.op.outcome == ok && n > named[number] {
			t.op.unnamed = plus(t.op.unnamed, w.row.keys.output(number), n-named[number])
		}
	}
	return w.outputs.err
}

func plus(counts map[int32]uint64, key int32, n uint64) map[int32]uint64 {
	if counts == nil {
		counts = map[int32]uint64{}
	}
	counts[key] += n
	return counts
}

// missing are a transaction's outputs that no log holds. There is one for each record that it polled: in an output
// partition where as many were confirmed as were due, all of them were.
func (w *worker) missing(t *txn, there []copied) ([]copied, error) {
	due, err := w.due(t.op.polls)
	if err != nil {
		return nil, err
	}
	type output struct {
		processing uint64
		number     int32
	}
	expected, found := map[int32]uint64{}, map[output]bool{}
	for _, c := range due {
		expected[c.number]++
	}
	for _, c := range there {
		found[output{c.processing, c.number}] = true
	}
	return slices.DeleteFunc(due, func(c copied) bool {
		return expected[c.number] != t.confirmed[c.number] || found[output{c.processing, c.number}]
	}), nil
}

// due are the outputs that polls ask for, one in each output topic for each record, without their places. Of a poll whose
// range holds another number of records than it brought, nothing says which those were.
func (w *worker) due(polls []poll) ([]copied, error) {
	var all []copied
	for _, p := range polls {
		from, n := len(all), uint64(0)
		err := p.each(func(s *stored) {
			if !p.uncommitted && !s.visible {
				return
			}
			for number := p.partition; number < w.row.keys.outputs; number += w.row.keys.partitions {
				all = append(all, copied{by: w.who, processing: p.processing + n, number: number, offset: -1, Identity: s.Identity})
			}
			n++
		})
		if err != nil {
			return nil, err
		}
		if n != p.count {
			all = all[:from]
		}
	}
	return all, nil
}
