package jepsen

import "github.com/chaeos/chaeos/harness/history"

// learn takes what became of outputs: of those in the open transaction, or of others.
func (w *worker) learn(e *history.Outputs, q *queue) {
	if w.contains() && e.Txn > 0 {
		if w.txn != nil && w.txn.ordinal == e.Txn && e.Outcome == history.OutcomeConfirmed {
			for _, c := range e.Counts {
				w.txn.confirmed[c.Partition] += c.Count
			}
		}
		return
	}
	for _, c := range e.Counts {
		w.resolved[c.Partition] += c.Count
	}
	w.doubtful = w.doubtful || e.Outcome != history.OutcomeConfirmed
	w.sent(e.At, q)
}

// sent completes the operations that are over. Histories count outcomes and name no output: once one was not confirmed,
// those that follow are in doubt.
func (w *worker) sent(at history.Time, q *queue) {
	kept := w.sending[:0]
	for _, s := range w.sending {
		if !w.over(s) {
			kept = append(kept, s)
			continue
		}
		if w.doubtful {
			s.op.outcome = info
		}
		q.add(at, true, s.op)
		w.lanes.give(s.op)
	}
	clear(w.sending[len(kept):])
	w.sending = kept
}

func (w *worker) over(s *sending) bool {
	for number, until := range s.until {
		if w.resolved[number] < until {
			return false
		}
	}
	return true
}

// mostInOp bounds the records of an operation that no call made.
const mostInOp = 1000

// end tells what was left open: a transaction, sends, outputs of which the history says nothing.
func (w *worker) end(tail history.Tail, q *queue) error {
	idle := w.txn == nil
	if t := w.txn; t != nil {
		outcome := fail
		if t.asked || tail.LostBytes > 0 && !w.killed {
			outcome = info
		}
		w.ended = true
		if err := w.finish(w.last, outcome, "", q); err != nil {
			return err
		}
	}
	for _, s := range w.sending {
		s.op.outcome = info
		q.add(w.last, true, s.op)
	}
	w.sending = nil
	for {
		made := w.outputs.take(limited(mostInOp))
		if len(made) == 0 {
			break
		}
		o := w.sendOp(made)
		o.outcome = info
		q.both(w.last, o)
	}
	if w.killed && idle {
		o := w.op(fCrash, nil)
		o.outcome = info
		q.both(w.last, o)
	}
	return w.outputs.err
}

// limited lets n through.
func limited(n int) func(copied) bool {
	return func(copied) bool {
		n--
		return n >= 0
	}
}
