package jepsen

import (
	"maps"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// worker tells what one incarnation of a worker did: its polls, its transactions, and what it sent outside of them. It is
// one process, and further ones for what it sends while it polls on.
type worker struct {
	row     *row
	who     incarnation
	by      string
	process int
	killed  bool
	// outputs are what logs hold of its outputs, in the order of its work.
	outputs *cursor
	lanes   lanes
	// held are the input partitions that it was assigned.
	held map[int32]bool
	// txn is the transaction that is open, or that its polls will be part of.
	txn *txn
	// sending are the operations that are under way outside of transactions. By output partition, made counts the outputs
	// that they hold up to now, and resolved the outputs with an outcome.
	sending        []*sending
	made, resolved map[int32]uint64
	// doubtful is set once one of those outcomes was no confirmation.
	doubtful bool
	// last is the time of the newest entry.
	last history.Time
	// ended is set at the end of the history.
	ended bool
}

// sending is an operation that sends outside of transactions, until as many outputs as until counts have an outcome.
type sending struct {
	op    *op
	until map[int32]uint64
}

func newWorker(r *row, h harness.HistoryRecord) *worker {
	who := incarnationOf(h)
	return &worker{
		row: r, who: who, by: nameOfProcess(h), process: r.processes.another(), killed: h.Killed, outputs: r.copies.by(who),
		lanes: lanes{from: &r.processes}, held: map[int32]bool{}, made: map[int32]uint64{}, resolved: map[int32]uint64{},
	}
}

// transacts reports whether polls are part of transactions; contains whether outputs are. Effects are in none.
func (w *worker) transacts() bool { return w.row.keys.layout.Transactional }
func (w *worker) contains() bool  { return w.transacts() && !w.row.keys.layout.Effects }

func (w *worker) holds() bool { return w.txn != nil }

func (w *worker) take(e history.Entry, q *queue) error {
	w.last = max(w.last, history.When(e))
	switch e := e.(type) {
	case *history.Process:
		q.both(e.At, w.op(fSubscribe, upTo(0, w.row.keys.inputs())))
	case *history.Assigned:
		w.rebalance(e.At, e.Partitions, true, q)
	case *history.Revoked:
		w.rebalance(e.At, e.Partitions, false, q)
	case *history.Polled:
		return w.polled(e, q)
	case *history.TxnBegin:
		return w.begin(e, q)
	case *history.Outputs:
		w.learn(e, q)
	case *history.TxnEnding:
		if w.txn != nil && w.txn.ordinal == e.Txn {
			w.txn.asked = w.txn.asked || e.Commit
		}
	case *history.TxnEnded:
		if w.txn != nil && w.txn.ordinal == e.Txn {
			return w.finish(e.At, ended(e), e.Reason, q)
		}
	}
	return nil
}

// ended is a transaction's outcome by what its worker learnt. An abort without an answer is an abort all the same: the
// commit was never asked for.
func ended(e *history.TxnEnded) string {
	switch {
	case !e.Commit || e.Outcome == history.OutcomeFailed:
		return fail
	case e.Outcome == history.OutcomeConfirmed:
		return ok
	}
	return info
}

func (w *worker) op(f string, keys []int32) *op {
	return &op{f: f, by: w.by, process: w.process, outcome: ok, keys: keys}
}

// rebalance takes partitions that came or went. What the worker holds from then on becomes a subscription: by its keys
// a checker knows in which partitions polls go on in order. Inside a transaction the rebalance is part of it, and the
// subscription follows it.
func (w *worker) rebalance(at history.Time, partitions []int32, came bool, q *queue) {
	var keys []int32
	for _, p := range partitions {
		if !w.row.keys.has(p) {
			continue
		}
		keys = append(keys, p)
		if came {
			w.held[p] = true
		} else {
			delete(w.held, p)
		}
	}
	held := w.holding()
	if w.txn != nil {
		w.txn.op.rebalances = append(w.txn.op.rebalances, keys)
		w.txn.held = append(w.txn.held, held)
		return
	}
	q.both(at, w.op(fSubscribe, held))
}

// holding lists the keys of what it was assigned.
func (w *worker) holding() []int32 { return slices.Sorted(maps.Keys(w.held)) }

// polled takes a delivery. Outside of transactions it is an operation, and what was made of it another.
func (w *worker) polled(e *history.Polled, q *queue) error {
	if !w.row.keys.has(e.Partition) {
		return nil
	}
	p := poll{
		log: w.row.inputs[e.Partition], from: e.From, to: e.To, count: e.Count, uncommitted: !w.row.keys.layout.ReadCommitted,
		by: w.row.wall(e.At), processing: e.Processing, partition: e.Partition,
	}
	if w.transacts() {
		w.open(e.At, q)
		w.txn.op.polls = append(w.txn.op.polls, p)
	} else {
		o := w.op(fPoll, nil)
		o.polls = []poll{p}
		q.both(e.At, o)
	}
	if !w.contains() {
		w.send(e.At, e.Processing+e.Count, q)
	}
	return w.outputs.err
}

// send begins to send the outputs of all processings below an ordinal that the logs hold. Which outputs they lack no
// history names.
func (w *worker) send(at history.Time, below uint64, q *queue) {
	made := w.outputs.take(func(c copied) bool { return c.processing < below })
	if len(made) == 0 {
		return
	}
	s := &sending{op: w.sendOp(made), until: map[int32]uint64{}}
	for _, c := range made {
		w.made[c.number]++
		s.until[c.number] = w.made[c.number]
	}
	w.sending = append(w.sending, s)
	q.add(at, false, s.op)
}

func (w *worker) sendOp(made []copied) *op {
	o := &op{f: fSend, by: w.by, process: w.lanes.take(), outcome: ok}
	for _, c := range made {
		o.sends = append(o.sends, w.sendOf(c))
	}
	return o
}

func (w *worker) sendOf(c copied) send {
	return send{key: w.row.keys.output(c.number), value: c.value(), offset: c.offset}
}
