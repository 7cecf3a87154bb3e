package verifiers

import (
	"cmp"
	"slices"

	"github.com/chaeos/chaeos/harness/history"
)

// life is one incarnation of a worker.
type life struct {
	Worker      uint16
	Incarnation uint32
}

// worker is what one incarnation said of its work.
type worker struct {
	life
	// name is its process, file its history inside the run's folder; killed says that the run killed it.
	name, file string
	killed     bool
	// stints are what it read of the input, and when it went back.
	stints stints
	// ended says that its history was closed in order: what it doesn't say, it didn't do.
	ended bool
	// outcomes of outputs outside transactions, by output partition.
	confirmed, unknown, failed map[int32]uint64
	txns                       map[uint64]*txn
	commits                    []commit
	pending                    []history.PartitionOffset
	pendingAt                  history.Time
}

// txn is one transaction as its worker saw it.
type txn struct {
	begun     history.Time
	confirmed map[int32]uint64
	offsets   []history.PartitionOffset
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

func newWorker(l life, name string) *worker {
	return &worker{
		life: l, name: name, confirmed: map[int32]uint64{}, unknown: map[int32]uint64{}, failed: map[int32]uint64{},
		txns: map[uint64]*txn{},
	}
}

func (w *worker) txn(n uint64) *txn {
	t, ok := w.txns[n]
	if !ok {
		t = &txn{confirmed: map[int32]uint64{}}
		w.txns[n] = t
	}
	return t
}

func (w *worker) add(e history.Entry) {
	switch e := e.(type) {
	case *history.Assigned, *history.Revoked, *history.Polled:
		w.stints.add(w, e)
	case *history.TxnBegin:
		w.txn(e.Txn).begun = e.At
	case *history.Outputs:
		w.outputs(e)
	case *history.Committing:
		if e.Txn == 0 {
			w.leftPending()
			w.pending, w.pendingAt = e.Offsets, e.At
		}
	case *history.Committed:
		w.committed(e)
	case *history.TxnEnding:
		t := w.txn(e.Txn)
		t.asked, t.askedCommit = true, e.Commit
	case *history.TxnEnded:
		t := w.txn(e.Txn)
		t.asked, t.ended, t.commit, t.outcome, t.endedAt = true, true, e.Commit, e.Outcome, e.At
		t.askedCommit = t.askedCommit || e.Commit
	case *history.End:
		w.ended = true
	}
}

func (w *worker) outputs(e *history.Outputs) {
	if e.Txn != 0 {
		t := w.txn(e.Txn)
		for _, c := range e.Counts {
			if e.Outcome == history.OutcomeConfirmed {
				t.confirmed[c.Partition] += c.Count
			}
		}
		return
	}
	to := map[history.Outcome]map[int32]uint64{
		history.OutcomeConfirmed: w.confirmed, history.OutcomeUnknown: w.unknown, history.OutcomeFailed: w.failed,
	}[e.Outcome]
	for _, c := range e.Counts {
		to[c.Partition] += c.Count
	}
}

func (w *worker) committed(e *history.Committed) {
	if e.Txn != 0 {
		if e.Outcome == history.OutcomeConfirmed {
			t := w.txn(e.Txn)
			t.offsets = append(t.offsets, e.Offsets...)
		}
		return
	}
	w.pending = nil
	w.commits = append(w.commits, commit{at: e.At, outcome: e.Outcome, offsets: e.Offsets})
}

// leftPending turns a commit that was begun and never answered into one with an unknown outcome.
func (w *worker) leftPending() {
	if w.pending != nil {
		w.commits = append(w.commits, commit{at: w.pendingAt, outcome: history.OutcomeUnknown, offsets: w.pending})
		w.pending = nil
	}
}

// close is called after the last entry.
func (w *worker) close() {
	w.leftPending()
	for n, t := range w.txns {
		if t.committed() {
			w.commits = append(w.commits, commit{at: t.endedAt, outcome: history.OutcomeConfirmed, txn: n, offsets: t.offsets})
		}
	}
	slices.SortFunc(w.commits, func(a, b commit) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.txn, b.txn)) })
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

// ordinals lists the transactions' numbers, sorted.
func (w *worker) ordinals() []uint64 {
	var all []uint64
	for n := range w.txns {
		all = append(all, n)
	}
	slices.Sort(all)
	return all
}
