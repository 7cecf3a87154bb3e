package verifiers

import (
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// slowLife is what one history of a worker says, entry by entry.
type slowLife struct {
	txns.Incarnation
	// closed means that the history was closed in order: what it doesn't say, its worker didn't do.
	closed bool
	// whole means that the history is all that its worker had to say before its end or its kill.
	whole bool
	// learnt counts outputs outside transactions by what the worker learnt of them and the output partition.
	learnt map[history.Outcome]map[int32]uint64
	// commits are those outside transactions, and those of transactions whose commit was confirmed.
	commits []slowCommit
	txns    map[uint64]*slowTxn
	// acknowledgements are those to a share group, and effects means that no transaction holds its outputs.
	acknowledgements []*history.Acknowledged
	effects          bool
	entries          []history.Entry
}

type slowCommit struct {
	txn     uint64
	outcome history.Outcome
	offsets []history.PartitionOffset
}

// slowTxn is what a worker said of one transaction.
type slowTxn struct {
	// whole is its worker's.
	whole   bool
	stored  map[int32]uint64
	offsets []history.PartitionOffset
	// sending are the positions that its worker last set out to commit in it.
	sending []history.PartitionOffset
	// asks are its requests to end it, answers what came of them.
	asks    []*history.TxnEnding
	answers []*history.TxnEnded
}

func slowLifeOf(f *histFile, effects bool) *slowLife {
	l := &slowLife{entries: f.entries, effects: effects, Incarnation: txns.Of(uint16(f.record.Number), uint32(f.record.Incarnation)), closed: !f.noEnd, whole: !f.noEnd || f.record.Killed, txns: map[uint64]*slowTxn{}, learnt: map[history.Outcome]map[int32]uint64{
		history.OutcomeUnknown: {}, history.OutcomeConfirmed: {}, history.OutcomeFailed: {},
	}}
	var unanswered *history.Committing
	var acking *history.Acknowledging
	unacknowledged := func() {
		if acking != nil {
			l.acknowledgements = append(l.acknowledgements, &history.Acknowledged{Outcome: history.OutcomeUnknown, Ranges: acking.Ranges})
		}
		acking = nil
	}
	silent := func() {
		if unanswered != nil {
			l.commits = append(l.commits, slowCommit{0, history.OutcomeUnknown, unanswered.Offsets})
		}
		unanswered = nil
	}
	for _, e := range f.entries {
		switch e := e.(type) {
		case *history.Committing:
			if e.Txn == 0 {
				silent()
				unanswered = e
			} else {
				l.txn(e.Txn).sending = e.Offsets
			}
		case *history.Acknowledging:
			unacknowledged()
			acking = e
		case *history.Acknowledged:
			acking = nil
			l.acknowledgements = append(l.acknowledgements, e)
		case *history.Committed:
			if e.Txn == 0 {
				unanswered = nil
				l.commits = append(l.commits, slowCommit{0, e.Outcome, e.Offsets})
			} else if e.Outcome == history.OutcomeConfirmed {
				l.txn(e.Txn).offsets = append(l.txn(e.Txn).offsets, e.Offsets...)
			}
		case *history.Outputs:
			l.outputs(e)
		case *history.TxnBegin:
			l.txn(e.Txn)
		case *history.TxnEnding:
			l.txn(e.Txn).asks = append(l.txn(e.Txn).asks, e)
		case *history.TxnEnded:
			l.txn(e.Txn).answers = append(l.txn(e.Txn).answers, e)
		}
	}
	silent()
	unacknowledged()
	for n, t := range l.txns {
		if effects && t.undecided() {
			l.commits = append(l.commits, slowCommit{n, history.OutcomeUnknown, t.sending})
		}
		if t.is(true, history.OutcomeConfirmed) {
			l.commits = append(l.commits, slowCommit{n, history.OutcomeConfirmed, t.offsets})
		}
	}
	return l
}

func (l *slowLife) txn(n uint64) *slowTxn {
	if l.txns[n] == nil {
		l.txns[n] = &slowTxn{whole: l.whole, stored: map[int32]uint64{}}
	}
	return l.txns[n]
}

func (l *slowLife) outputs(e *history.Outputs) {
	for _, c := range e.Counts {
		switch {
		case e.Txn == 0 || l.effects:
			l.learnt[e.Outcome][c.Partition] += c.Count
		case e.Outcome == history.OutcomeConfirmed:
			l.txn(e.Txn).stored[c.Partition] += c.Count
		}
	}
	if e.Txn != 0 {
		l.txn(e.Txn)
	}
}

// is means that the worker learnt this of the transaction's end.
func (t *slowTxn) is(commit bool, outcome history.Outcome) bool {
	return len(t.answers) > 0 && t.answers[len(t.answers)-1].Commit == commit && t.answers[len(t.answers)-1].Outcome == outcome
}

// askedCommit: a commit was asked for, whatever was asked after it.
func (t *slowTxn) askedCommit() bool {
	for _, a := range t.asks {
		if a.Commit {
			return true
		}
	}
	for _, a := range t.answers {
		if a.Commit {
			return true
		}
	}
	return false
}

// refused: its commit definitely failed, or was never asked for.
func (t *slowTxn) refused() bool {
	return t.is(true, history.OutcomeFailed) || t.whole && !t.askedCommit() && !t.is(false, history.OutcomeConfirmed)
}

// undecided: a commit was asked for, and what came of it was never learnt.
func (t *slowTxn) undecided() bool {
	return t.askedCommit() && (len(t.answers) == 0 || t.answers[len(t.answers)-1].Outcome == history.OutcomeUnknown)
}
