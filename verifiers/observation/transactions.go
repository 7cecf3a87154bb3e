package observation

import (
	"cmp"
	"slices"
)

// Transactions follows the transactions of one partition through its batches, in log order: what is open, and which
// ranges were aborted. Memory grows with aborted transactions and live producers only.
type Transactions struct {
	open    map[int64]OpenTxn
	aborted []Aborted
}

// Add takes the next batch. For a marker that ended a transaction with records, ended is true.
func (t *Transactions) Add(b *Batch) (ended bool) {
	if b.Damaged || !b.Transactional {
		return false
	}
	open, isOpen := t.open[b.ProducerID]
	if !b.Control {
		if !isOpen {
			if t.open == nil {
				t.open = map[int64]OpenTxn{}
			}
			t.open[b.ProducerID] = OpenTxn{ProducerID: b.ProducerID, ProducerEpoch: int32(b.ProducerEpoch), Start: b.First, LastTimestamp: b.MaxTimestamp}
		}
		return false
	}
	if !isOpen || b.Marker != MarkerAbort && b.Marker != MarkerCommit {
		return false
	}
	delete(t.open, b.ProducerID)
	if b.Marker == MarkerAbort {
		t.aborted = append(t.aborted, Aborted{ProducerID: b.ProducerID, First: open.Start, Last: b.First})
	}
	return true
}

// Aborted lists the aborted transactions, in the order of their markers.
func (t *Transactions) Aborted() []Aborted { return t.aborted }

// Open lists the transactions without a marker, by start.
func (t *Transactions) Open() []OpenTxn {
	var all []OpenTxn
	for _, o := range t.open {
		all = append(all, o)
	}
	slices.SortFunc(all, func(a, b OpenTxn) int { return cmp.Compare(a.Start, b.Start) })
	return all
}

// Aborts answers whether a transactional batch belongs to an aborted transaction; batches are asked in log order.
type Aborts struct{ byProducer map[int64][]Aborted }

// NewAborts indexes aborted transactions.
func NewAborts(list []Aborted) *Aborts {
	a := &Aborts{byProducer: map[int64][]Aborted{}}
	for _, x := range list {
		a.byProducer[x.ProducerID] = append(a.byProducer[x.ProducerID], x)
	}
	return a
}

// Has reports whether the batch was aborted.
func (a *Aborts) Has(b *Batch) bool {
	if !b.Transactional {
		return false
	}
	list := a.byProducer[b.ProducerID]
	i, _ := slices.BinarySearchFunc(list, b.First, func(x Aborted, at int64) int { return cmp.Compare(x.Last, at) })
	return i < len(list) && list[i].First <= b.First
}
