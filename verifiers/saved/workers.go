package verifiers

import (
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/keyset"
)

// worker is what one incarnation said of its work: sums, and what is still open. Its history can be read again (replay).
type worker struct {
	life
	// name is its process, file its history inside the run's folder; killed says that the run killed it.
	name, file string
	killed     bool
	// stints are what it read of the input, and when it went back.
	stints stints
	// since is when the process began, inits when it asked for producer ids.
	since history.Time
	inits []producerInit
	// ended says that its history was closed in order: what it doesn't say, it didn't do.
	ended bool
	// outcomes of outputs outside transactions, by output partition.
	confirmed, unknown, failed map[int32]uint64
	// highest are the highest confirmed commits, by input partition.
	highest map[int32]int64
	// unknownCommits counts commits whose outcome was never learnt.
	unknownCommits unknownCommits
	// accepted are the records that it acknowledged to a share group, sent those of which it never learnt whether the
	// brokers took it (nil: none).
	accepted, sent *keyset.Set
	// acking is the acknowledgement that is not answered yet.
	acking []history.OffsetRange
	// open are the transactions that have not ended yet, pending the commit that is not answered yet. What is said of a
	// transaction after its end opens it again: as one without an end, it is looked into.
	open      map[uint64]*txn
	spare     *txn
	pending   []history.PartitionOffset
	pendingAt history.Time
	blocks    *blocks
	// finals are the group's final positions; last counts, by input partition, the transactions that would have committed
	// just that.
	finals map[int32]int64
	last   map[int32]int
	// committed, where set, is shown every commit; its slices are the worker's.
	committed func(commit)
	// effects says that its outputs are effects: no transaction holds them.
	effects bool
	// only, where set, are the blocks whose transactions are kept until the end, and no others (gatherFromHistory).
	only map[block]bool
}

// producerInit is when a worker asked for a producer id, and with which transactional id.
type producerInit struct {
	at history.Time
	id string
}

// txn is one transaction as its worker saw it.
type txn struct {
	begun     history.Time
	confirmed map[int32]uint64
	offsets   []history.PartitionOffset
	// sent are the positions sent into it, where those are all it holds.
	sent []history.PartitionOffset
	// asked says that the worker began to end it; askedCommit how. ended, commit and outcome are the answer.
	asked, askedCommit, ended, commit bool
	outcome                           history.Outcome
	endedAt                           history.Time
}

// commit is one offset commit outside transactions, or of a committed one.
type commit struct {
	at      history.Time
	outcome history.Outcome
	txn     uint64
	offsets []history.PartitionOffset
}

// newWorker makes a worker of a group whose final positions are these (nil: they are not known).
func newWorker(l life, name string, finals map[int32]int64) *worker {
	return &worker{
		life: l, name: name, confirmed: map[int32]uint64{}, unknown: map[int32]uint64{}, failed: map[int32]uint64{},
		highest: map[int32]int64{}, unknownCommits: unknownCommits{by: map[string]*unknownPast{}}, open: map[uint64]*txn{},
		blocks: newBlocks(), finals: finals, last: map[int32]int{},
	}
}

func (w *worker) txn(n uint64) *txn {
	t, ok := w.open[n]
	if !ok {
		if t = w.spare; t == nil {
			t = &txn{confirmed: map[int32]uint64{}}
		}
		w.spare = nil
		w.open[n] = t
	}
	return t
}

func (w *worker) add(e history.Entry) {
	if w.only != nil && !w.only[blockOf(w.life, ordinalOf(e))] {
		return
	}
	switch e := e.(type) {
	case *history.Assigned, *history.Revoked, *history.Polled:
		w.stints.add(w, e)
	case *history.Process:
		w.since = e.At
	case *history.ProducerInit:
		if len(w.inits) < maxStints {
			w.inits = append(w.inits, producerInit{e.Asked, e.TransactionalID})
		}
	case *history.TxnBegin:
		w.txn(e.Txn).begun = e.At
	case *history.Outputs:
		w.outputs(e)
	case *history.Committing:
		switch {
		case e.Txn == 0:
			w.leftPending()
			w.pending, w.pendingAt = append(w.pending[:0], e.Offsets...), e.At
		case w.effects:
			w.txn(e.Txn).sent = slices.Clone(e.Offsets)
		}
	case *history.Committed:
		w.commits(e)
	case *history.Acknowledging:
		w.leftAcking()
		w.acking = append(w.acking[:0], e.Ranges...)
	case *history.Acknowledged:
		w.acking = w.acking[:0]
		w.acknowledged(e.Outcome, e.Ranges)
	case *history.TxnEnding:
		t := w.txn(e.Txn)
		t.asked, t.askedCommit = true, e.Commit
	case *history.TxnEnded:
		w.txnEnded(e)
	case *history.End:
		w.ended = true
	}
}

// ordinalOf is the transaction that an entry is about, 0 for none.
func ordinalOf(e history.Entry) uint64 {
	switch e := e.(type) {
	case *history.TxnBegin:
		return e.Txn
	case *history.Outputs:
		return e.Txn
	case *history.Committing:
		return e.Txn
	case *history.Committed:
		return e.Txn
	case *history.TxnEnding:
		return e.Txn
	case *history.TxnEnded:
		return e.Txn
	}
	return 0
}

func (w *worker) outputs(e *history.Outputs) {
	to := w.unknown
	inTxn := e.Txn != 0 && !w.effects // an effect stands, however the transaction around its call ends
	switch {
	case inTxn && e.Outcome != history.OutcomeConfirmed:
		w.txn(e.Txn)
		return
	case inTxn:
		to = w.txn(e.Txn).confirmed
	case e.Outcome == history.OutcomeConfirmed:
		to = w.confirmed
	case e.Outcome == history.OutcomeFailed:
		to = w.failed
	}
	for _, c := range e.Counts {
		to[c.Partition] += c.Count
	}
}

func (w *worker) commits(e *history.Committed) {
	if e.Txn == 0 {
		w.pending = w.pending[:0]
		w.commit(commit{at: e.At, outcome: e.Outcome, offsets: e.Offsets})
		return
	}
	if e.Outcome != history.OutcomeConfirmed {
		return
	}
	t := w.txn(e.Txn)
	t.offsets = append(t.offsets, e.Offsets...)
	for _, o := range e.Offsets {
		if w.finals != nil && w.finals[o.Partition] == o.Offset {
			w.last[o.Partition]++
		}
	}
}

func (w *worker) commit(c commit) {
	switch c.outcome {
	case history.OutcomeConfirmed:
		for _, o := range c.offsets {
			w.highest[o.Partition] = max(w.highest[o.Partition], o.Offset)
		}
	case history.OutcomeUnknown:
		w.unknownCommits.add(c, w.finals)
	}
	if w.committed != nil {
		w.committed(c)
	}
}

// leftPending turns a commit that was begun and never answered into one with an unknown outcome.
func (w *worker) leftPending() {
	if len(w.pending) > 0 {
		w.commit(commit{at: w.pendingAt, outcome: history.OutcomeUnknown, offsets: w.pending})
		w.pending = w.pending[:0]
	}
}

// txnEnded lets go of a transaction: what is left of one whose end was confirmed is its part of its block's sum, and
// that another is to be looked into.
func (w *worker) txnEnded(e *history.TxnEnded) {
	t := w.txn(e.Txn)
	t.asked, t.ended, t.commit, t.outcome, t.endedAt = true, true, e.Commit, e.Outcome, e.At
	t.askedCommit = t.askedCommit || e.Commit
	if w.only != nil {
		return
	}
	delete(w.open, e.Txn)
	if e.Outcome != history.OutcomeConfirmed || w.strange(t) {
		w.blocks.suspect(w.life, e.Txn)
	}
	if e.Outcome != history.OutcomeConfirmed {
		w.leftUndecided(e.Txn, t)
		return
	}
	w.blocks.expect(w.life, e.Txn, t.commit, t.confirmed)
	if t.committed() {
		w.commit(commit{at: t.endedAt, outcome: history.OutcomeConfirmed, txn: e.Txn, offsets: t.offsets})
	}
	clear(t.confirmed)
	*t = txn{confirmed: t.confirmed, offsets: t.offsets[:0]}
	w.spare = t
}

// leftUndecided turns a transaction that holds positions only, and whose end nobody learnt, into a commit with an unknown
// outcome: no output tells what became of it, but the group's final positions may.
func (w *worker) leftUndecided(n uint64, t *txn) {
	if w.effects && t.undecided() {
		w.commit(commit{at: max(t.begun, t.endedAt), outcome: history.OutcomeUnknown, txn: n, offsets: t.sent})
	}
}

// strange says that a transaction's positions are not what the group's final ones allow: committed, and not reached;
// aborted, and just what the group stands at.
func (w *worker) strange(t *txn) bool {
	return w.finals != nil && slices.ContainsFunc(t.offsets, func(o history.PartitionOffset) bool {
		final := w.finals[o.Partition]
		return t.commit && o.Offset > final || !t.commit && o.Offset == final
	})
}

// close is called after the last entry.
func (w *worker) close() {
	w.leftPending()
	w.leftAcking()
	for n, t := range w.open {
		w.blocks.suspect(w.life, n)
		w.leftUndecided(n, t)
	}
	if w.only == nil {
		clear(w.open)
	}
}

// outcomeText is what the worker learnt, in words.
func (t *txn) outcomeText() string {
	switch {
	case t.committed():
		return "commit confirmed"
	case t.aborted():
		return "abort confirmed"
	case t.undecided():
		return "commit unknown"
	case t.ended && t.commit && t.outcome == history.OutcomeFailed:
		return "commit refused"
	case t.asked:
		return "abort unknown"
	}
	return "never asked"
}

func (t *txn) committed() bool {
	return t.ended && t.commit && t.outcome == history.OutcomeConfirmed
}

func (t *txn) aborted() bool { return t.ended && !t.commit && t.outcome == history.OutcomeConfirmed }

// undecided says that a commit was asked for and its outcome never learnt.
func (t *txn) undecided() bool {
	return t.asked && t.askedCommit && (!t.ended || t.commit && t.outcome == history.OutcomeUnknown)
}

// refused says that nothing of the transaction may be visible: its commit definitely failed, or was never asked for.
func (t *txn) refused() bool {
	return !t.asked || t.ended && t.commit && t.outcome == history.OutcomeFailed
}

func lifeOf(w *worker) harness.Life {
	return harness.Life{Worker: w.Worker, Incarnation: w.Incarnation, Name: w.name}
}
