package saved

import (
	"cmp"
	"slices"

	"github.com/chaeos/chaeos/harness/history"
)

// asked are the transactions that a worker asked to commit, and when it first did, by ordinal.
type asked []askedAt

type askedAt struct {
	txn uint64
	at  history.Time
}

func (a *asked) add(e *history.TxnEnding) {
	if !e.Commit {
		return
	}
	if n := len(*a); n == 0 || (*a)[n-1].txn < e.Txn {
		*a = append(*a, askedAt{e.Txn, e.At})
		return
	}
	if i, found := a.find(e.Txn); !found {
		*a = slices.Insert(*a, i, askedAt{e.Txn, e.At})
	}
}

func (a asked) find(txn uint64) (int, bool) {
	return slices.BinarySearchFunc(a, txn, func(x askedAt, n uint64) int { return cmp.Compare(x.txn, n) })
}

// AskedToCommit is when the worker first asked to commit a transaction; ok where its history says so.
func (w *Worker) AskedToCommit(txn uint64) (at history.Time, ok bool) {
	i, found := w.asked.find(txn)
	if !found {
		return 0, false
	}
	return w.asked[i].at, true
}
