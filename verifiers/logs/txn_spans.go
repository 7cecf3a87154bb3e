package logs

import (
	"sort"

	"github.com/chaeos/chaeos/verifiers/txns"
)

// TxnSpan are neighbouring records of one partition that one transaction wrote, at offsets [From, To).
type TxnSpan struct {
	txns.Key
	From, To int64
}

// txnSpans are a partition's committed records by the transactions that wrote them, in log order.
type txnSpans []TxnSpan

func (s *txnSpans) add(b *Batch) {
	if b.Damaged || b.Decided != txns.Visible {
		return
	}
	for i := range b.Runs {
		r := &b.Runs[i]
		if r.First.Txn == 0 {
			continue
		}
		key := txns.Key{Incarnation: txns.Of(r.First.Worker, r.First.Incarnation), Ordinal: r.First.Txn}
		if n := len(*s); n > 0 && (*s)[n-1].Key == key {
			(*s)[n-1].To = r.First.Offset + r.Count
			continue
		}
		*s = append(*s, TxnSpan{key, r.First.Offset, r.First.Offset + r.Count})
	}
}

// TxnsIn lists the transactions that wrote committed records of [from, to), in log order.
func (p *Partition) TxnsIn(from, to int64) []TxnSpan {
	all := p.txnSpans
	i := sort.Search(len(all), func(i int) bool { return all[i].To > from })
	j := i
	for j < len(all) && all[j].From < to {
		j++
	}
	return all[i:j]
}
