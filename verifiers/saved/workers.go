package saved

import (
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// Worker is what one incarnation said of its work: sums, and what is still open. Its history can be read again (Run.EachEntry).
type Worker struct {
	txns.Incarnation
	// Name is its process, File its history inside the run's folder; Killed means that the run killed it.
	Name, File string
	Killed     bool
	// Stints are what it read of the input, and when it went back.
	Stints stints
	taken  taken
	asked  asked
	// Since is when the process began, Inits when it asked for producer ids.
	Since history.Time
	Inits []producerInit
	// Ended means that its history was closed in order: what it doesn't say, it didn't do.
	Ended bool
	// Whole reports whether the history is all that its writer left, and was closed in order or its writer was killed. Only
	// then is silence proof: entries are written before what they announce is done.
	Whole bool
	// Outcomes of outputs outside transactions, by output partition.
	Confirmed, Unknown, Failed map[int32]uint64
	// Highest are the highest confirmed commits, by input partition.
	Highest map[int32]int64
	// UnknownCommits counts commits whose outcome was never learnt.
	UnknownCommits unknownCommits
	// Accepted are the records that it acknowledged to a share group, Sent those of which it never learnt whether the
	// brokers took it (nil: none).
	Accepted, Sent *keyset.Set
	// acking is the acknowledgement that is not answered yet.
	acking []history.OffsetRange
	// Open are the transactions that have not ended yet, pending the commit that is not answered yet. An entry after a
	// transaction's end reopens it, so that it counts as undecided and is looked into.
	Open      map[uint64]*Txn
	spare     *Txn
	pending   []history.PartitionOffset
	pendingAt history.Time
	Sums      *txns.Sums
	// finals are the group's final committed offsets; Last counts, by input partition, the transactions that would have committed
	// just that.
	finals map[int32]int64
	Last   map[int32]int
	// Committed, if set, is shown every commit; its slices are the worker's.
	Committed func(Commit)
	// Effects means that its outputs are side effects: no transaction holds them.
	Effects bool
	// Only, if set, are the blocks whose transactions are kept until the end, and no others.
	Only map[txns.Block]bool
}

// producerInit is when a worker asked for a producer id, and with which transactional id.
type producerInit struct {
	At history.Time
	ID string
}

// Txn is one transaction as its worker saw it.
type Txn struct {
	Begun     history.Time
	Confirmed map[int32]uint64
	Offsets   []history.PartitionOffset
	// sent are the offsets sent into it, where those are all it holds.
	sent []history.PartitionOffset
	// Asked means that the worker began to end it, AskedCommit how. ended, commit and outcome are the answer.
	Asked, AskedCommit, ended, commit bool
	outcome                           history.Outcome
	endedAt                           history.Time
	// AskedAt is when the worker first asked to end it, 0 where its history doesn't say.
	AskedAt history.Time
}

// Commit is one offset commit outside transactions, or of a committed one.
type Commit struct {
	At      history.Time
	Outcome history.Outcome
	Txn     uint64
	Offsets []history.PartitionOffset
}

// NewWorker makes a worker of a group whose final committed offsets are these (nil: they are not known).
func NewWorker(l txns.Incarnation, name string, finals map[int32]int64) *Worker {
	return &Worker{
		Incarnation: l, Name: name, Confirmed: map[int32]uint64{}, Unknown: map[int32]uint64{}, Failed: map[int32]uint64{},
		Highest: map[int32]int64{}, UnknownCommits: unknownCommits{by: map[string]*unknownPast{}}, Open: map[uint64]*Txn{},
		Sums: txns.NewSums(), finals: finals, Last: map[int32]int{},
	}
}

func (w *Worker) txn(n uint64) *Txn {
	t, ok := w.Open[n]
	if !ok {
		if t = w.spare; t == nil {
			t = &Txn{Confirmed: map[int32]uint64{}}
		}
		w.spare = nil
		w.Open[n] = t
	}
	return t
}

// Add takes an entry of the worker's history.
func (w *Worker) Add(e history.Entry) {
	if w.Only != nil && !w.Only[txns.BlockOf(w.Incarnation, ordinalOf(e))] {
		return
	}
	switch e := e.(type) {
	case *history.Assigned, *history.Revoked, *history.Polled:
		w.Stints.add(w, e)
		w.taken.add(e)
	case *history.Process:
		w.Since = e.At
	case *history.ProducerInit:
		if len(w.Inits) < maxStints {
			w.Inits = append(w.Inits, producerInit{e.Asked, e.TransactionalID})
		}
	case *history.TxnBegin:
		w.txn(e.Txn).Begun = e.At
	case *history.Outputs:
		w.outputs(e)
	case *history.Committing:
		switch {
		case e.Txn == 0:
			w.leftPending()
			w.pending, w.pendingAt = append(w.pending[:0], e.Offsets...), e.At
		case w.Effects:
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
		// A commit that was asked for may happen, even if the worker asks to abort later.
		t.Asked, t.AskedCommit = true, t.AskedCommit || e.Commit
		if t.AskedAt == 0 {
			t.AskedAt = e.At
		}
		w.asked.add(e)
	case *history.TxnEnded:
		w.txnEnded(e)
	case *history.End:
		w.Ended = true
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

func (w *Worker) outputs(e *history.Outputs) {
	to := w.Unknown
	inTxn := e.Txn != 0 && !w.Effects // a side effect stays, however the transaction around its call ends
	switch {
	case inTxn && e.Outcome != history.OutcomeConfirmed:
		w.txn(e.Txn)
		return
	case inTxn:
		to = w.txn(e.Txn).Confirmed
	case e.Outcome == history.OutcomeConfirmed:
		to = w.Confirmed
	case e.Outcome == history.OutcomeFailed:
		to = w.Failed
	}
	for _, c := range e.Counts {
		to[c.Partition] += c.Count
	}
}

func (w *Worker) commits(e *history.Committed) {
	if e.Txn == 0 {
		w.pending = w.pending[:0]
		w.commit(Commit{At: e.At, Outcome: e.Outcome, Offsets: e.Offsets})
		return
	}
	if e.Outcome != history.OutcomeConfirmed {
		return
	}
	t := w.txn(e.Txn)
	t.Offsets = append(t.Offsets, e.Offsets...)
	for _, o := range e.Offsets {
		if w.finals != nil && w.finals[o.Partition] == o.Offset {
			w.Last[o.Partition]++
		}
	}
}

func (w *Worker) commit(c Commit) {
	switch c.Outcome {
	case history.OutcomeConfirmed:
		for _, o := range c.Offsets {
			w.Highest[o.Partition] = max(w.Highest[o.Partition], o.Offset)
		}
	case history.OutcomeUnknown:
		w.UnknownCommits.add(c, w.finals)
	}
	if w.Committed != nil {
		w.Committed(c)
	}
}

// leftPending turns a commit that was begun and never answered into one with an unknown outcome.
func (w *Worker) leftPending() {
	if len(w.pending) > 0 {
		w.commit(Commit{At: w.pendingAt, Outcome: history.OutcomeUnknown, Offsets: w.pending})
		w.pending = w.pending[:0]
	}
}

// txnEnded lets go of a transaction: what is kept of one whose end was confirmed is its part of its block's sum, and
// of another that it must be looked into.
func (w *Worker) txnEnded(e *history.TxnEnded) {
	t := w.txn(e.Txn)
	t.Asked, t.ended, t.commit, t.outcome, t.endedAt = true, true, e.Commit, e.Outcome, e.At
	t.AskedCommit = t.AskedCommit || e.Commit
	if w.Only != nil {
		return
	}
	delete(w.Open, e.Txn)
	if e.Outcome != history.OutcomeConfirmed || w.strange(t) {
		w.Sums.Suspect(w.Incarnation, e.Txn)
	}
	if e.Outcome != history.OutcomeConfirmed {
		w.leftUndecided(e.Txn, t)
		return
	}
	w.Sums.Expect(w.Incarnation, e.Txn, t.commit, t.Confirmed)
	if t.Committed() {
		w.commit(Commit{At: t.endedAt, Outcome: history.OutcomeConfirmed, Txn: e.Txn, Offsets: t.Offsets})
	}
	clear(t.Confirmed)
	*t = Txn{Confirmed: t.Confirmed, Offsets: t.Offsets[:0]}
	w.spare = t
}

// leftUndecided turns a transaction that holds offsets only, and whose end was never learnt, into a commit with an unknown
// outcome: no output shows what became of it, but the group's final committed offsets may.
func (w *Worker) leftUndecided(n uint64, t *Txn) {
	if w.Effects && t.Undecided() {
		w.commit(Commit{At: max(t.Begun, t.endedAt), Outcome: history.OutcomeUnknown, Txn: n, Offsets: t.sent})
	}
}

// strange reports whether a transaction's offsets are not what the group's final ones allow: committed, and not reached;
// or aborted, and just the final one.
func (w *Worker) strange(t *Txn) bool {
	return w.finals != nil && slices.ContainsFunc(t.Offsets, func(o history.PartitionOffset) bool {
		final, known := w.finals[o.Partition]
		return known && (t.commit && o.Offset > final || !t.commit && o.Offset == final)
	})
}

// Close is called after the last entry.
func (w *Worker) Close() {
	w.leftPending()
	w.leftAcking()
	for n, t := range w.Open {
		w.Sums.Suspect(w.Incarnation, n)
		w.leftUndecided(n, t)
	}
	if w.Only == nil {
		clear(w.Open)
	}
}

// OutcomeText is what the worker learnt, in words.
func (t *Txn) OutcomeText() string {
	switch {
	case t.Committed():
		return "commit confirmed"
	case t.Aborted():
		return "abort confirmed"
	case t.Undecided():
		return "commit unknown"
	case t.ended && t.commit && t.outcome == history.OutcomeFailed:
		return "commit refused"
	case t.ended && t.outcome == history.OutcomeFailed:
		return "abort refused"
	case t.Asked:
		return "abort unknown"
	}
	return "never asked"
}

// Committed reports whether a commit was asked for and confirmed.
func (t *Txn) Committed() bool {
	return t.ended && t.commit && t.outcome == history.OutcomeConfirmed
}

// Aborted reports whether an abort was asked for and confirmed.
func (t *Txn) Aborted() bool { return t.ended && !t.commit && t.outcome == history.OutcomeConfirmed }

// Undecided reports whether a commit was asked for and its outcome never learnt.
func (t *Txn) Undecided() bool {
	return t.AskedCommit && (!t.ended || t.outcome == history.OutcomeUnknown)
}

// Refused reports whether nothing of the transaction may be visible because the worker learnt that its commit failed.
func (t *Txn) Refused() bool { return t.ended && t.commit && t.outcome == history.OutcomeFailed }

// IncarnationRef names a worker's incarnation for reports.
func IncarnationRef(w *Worker) harness.Incarnation {
	return harness.Incarnation{Worker: w.Worker, Incarnation: w.Number, Name: w.Name}
}
