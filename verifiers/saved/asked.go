package saved

import (
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/compact"
)

// asked are the transactions that a worker asked to commit, and when it first did. Ordinals go up; of those that don't, few are
// expected.
type asked struct {
	at   compact.Table
	late map[uint64]history.Time
}

func (a *asked) add(e *history.TxnEnding) {
	if !e.Commit || a.at.Add(compact.Entry{Key: e.Txn, Value: int64(e.At)}) {
		return
	}
	if _, found := a.find(e.Txn); found {
		return
	}
	if a.late == nil {
		a.late = map[uint64]history.Time{}
	}
	a.late[e.Txn] = e.At
}

func (a *asked) find(txn uint64) (history.Time, bool) {
	if c, ok := a.at.From(txn); ok && c.Entry().Key == txn {
		return history.Time(c.Entry().Value), true
	}
	at, ok := a.late[txn]
	return at, ok
}

// AskedToCommit is when the worker first asked to commit a transaction; ok where its history says so.
func (w *Worker) AskedToCommit(txn uint64) (at history.Time, ok bool) { return w.asked.find(txn) }
