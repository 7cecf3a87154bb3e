package saved

import (
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/history"
)

// OffsetOf is an offset of a partition.
type OffsetOf struct {
	ask.TopicPartition
	Offset int64
}

// transactionsAtLSO are the transactions that held last stable offsets, as brokers named them: the first and the newest naming of each,
// where a newer one without a transactional id does not replace an older one that has it.
type transactionsAtLSO map[OffsetOf]*naming

type naming struct{ first, last *history.TransactionAtLSO }

func (c transactionsAtLSO) add(e *history.TransactionAtLSO) {
	copied := *e // a reader's entries are used again
	at := OffsetOf{TopicPartition: ask.TopicPartition{Topic: e.Topic, Partition: e.Partition}, Offset: e.LSO}
	n := c[at]
	switch {
	case n == nil:
		c[at] = &naming{&copied, &copied}
	case e.TransactionalID != "" || n.last.TransactionalID == "":
		if n.first.TransactionalID == "" && e.TransactionalID != "" {
			n.first = &copied
		}
		n.last = &copied
	}
}

// Of are the first and the newest naming of the transaction at a last stable offset, nil for none.
func (c transactionsAtLSO) Of(at ask.TopicPartition, lso int64) (first, last *history.TransactionAtLSO) {
	if n := c[OffsetOf{at, lso}]; n != nil {
		return n.first, n.last
	}
	return nil, nil
}
