package saved

import (
	"cmp"
	"slices"

	"github.com/chaeos/chaeos/harness/history"
)

// SourceTxn is one transaction of a source, as it recorded it. Of older histories its producer is not known (-1), and its
// records are those that the source had announced last.
type SourceTxn struct {
	Incarnation         uint32
	Ordinal             uint64
	First, Count        uint64
	Producer            int64
	Epoch               int16
	asked, ended, whole bool
	commit              bool
	outcome             history.Outcome
}

// Committed reports whether its commit was confirmed, Aborted whether its abort was.
func (t *SourceTxn) Committed() bool {
	return t.ended && t.commit && t.outcome == history.OutcomeConfirmed
}

// Aborted reports whether its abort was confirmed.
func (t *SourceTxn) Aborted() bool {
	return t.ended && !t.commit && t.outcome == history.OutcomeConfirmed
}

// AskedToCommit reports whether the source began to commit it. It does so only once all its records are stored.
func (t *SourceTxn) AskedToCommit() bool { return t.asked }

// Refused reports whether nothing of it may be committed: the brokers refused the commit, or it was never asked for. A history
// that is not whole proves nothing by what it does not say.
func (t *SourceTxn) Refused() bool {
	return t.asked && t.ended && t.outcome == history.OutcomeFailed || !t.asked && t.whole && !t.Aborted()
}

// Untold reports whether its commit may have been asked for in a part of the history that is missing.
func (t *SourceTxn) Untold() bool { return !t.asked && !t.whole && !t.ended }

// OutcomeText is what the source learnt, in words.
func (t *SourceTxn) OutcomeText() string {
	switch {
	case t.Committed():
		return "commit confirmed"
	case t.Aborted():
		return "abort confirmed"
	case t.asked && t.ended && t.outcome == history.OutcomeFailed:
		return "commit refused"
	case t.asked:
		return "commit unknown"
	}
	return "never asked"
}

// sourceTxns are a source's transactions, over all its incarnations.
type sourceTxns struct {
	all []*SourceTxn
	// open are the incarnations' last transactions, blocks what they announced last. Blocks of which a transaction was made
	// once are in firsts: records of one transaction are never in two of them.
	open   map[uint32]*SourceTxn
	blocks map[uint32]history.Intent
	firsts []uint64
	// Recorded reports whether the source says which records belong to which transaction.
	Recorded bool
}

func (s *sourceTxns) add(e history.Entry, incarnation uint32) {
	if s.open == nil {
		s.open, s.blocks = map[uint32]*SourceTxn{}, map[uint32]history.Intent{}
	}
	switch e := e.(type) {
	case *history.Intent:
		s.blocks[incarnation] = *e
	case *history.TxnBegin:
		s.begin(e.Txn, incarnation)
	case *history.TxnRecords:
		if t := s.at(incarnation, e.Txn); t != nil {
			s.Recorded = true
			t.First, t.Count, t.Producer, t.Epoch = e.First, e.Count, e.ProducerID, int16(e.ProducerEpoch)
		}
	case *history.TxnEnding:
		if t := s.at(incarnation, e.Txn); t != nil {
			t.asked = t.asked || e.Commit
		}
	case *history.TxnEnded:
		if t := s.at(incarnation, e.Txn); t != nil {
			t.ended, t.commit, t.outcome = true, e.Commit, e.Outcome
		}
	}
}

func (s *sourceTxns) begin(ordinal uint64, incarnation uint32) {
	t := &SourceTxn{Incarnation: incarnation, Ordinal: ordinal, Producer: -1, whole: true}
	if b, is := s.blocks[incarnation]; is {
		t.First, t.Count = b.First, b.Count
		if n := len(s.firsts); n == 0 || s.firsts[n-1] != b.First {
			s.firsts = append(s.firsts, b.First)
		}
	}
	s.all, s.open[incarnation] = append(s.all, t), t
}

// at is the transaction that an entry is about: an incarnation has one at a time.
func (s *sourceTxns) at(incarnation uint32, ordinal uint64) *SourceTxn {
	if t := s.open[incarnation]; t != nil && t.Ordinal == ordinal {
		return t
	}
	return nil
}

// cut notes that the end of an incarnation's history is missing.
func (s *sourceTxns) cut(incarnation uint32) {
	for _, t := range s.all {
		t.whole = t.whole && t.Incarnation != incarnation
	}
}

// sort makes the transactions findable.
func (s *sourceTxns) sort() {
	slices.Sort(s.firsts)
	s.firsts = slices.Compact(s.firsts)
	slices.SortStableFunc(s.all, func(a, b *SourceTxn) int {
		return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.Incarnation, b.Incarnation), cmp.Compare(a.Ordinal, b.Ordinal))
	})
	s.open, s.blocks = nil, nil
}

// Block numbers the records that the source announced together: those of one transaction are in one block. Of a sequence that
// was in no transaction it is -1.
func (s *sourceTxns) Block(sequence uint64) int {
	i, found := slices.BinarySearch(s.firsts, sequence)
	if found {
		return i
	}
	return i - 1
}

// Of lists the transactions of a block, as they were made.
func (s *sourceTxns) Of(block int) []*SourceTxn {
	from, _ := slices.BinarySearchFunc(s.all, s.firsts[block], func(t *SourceTxn, first uint64) int { return cmp.Compare(t.First, first) })
	to := len(s.all)
	if block+1 < len(s.firsts) {
		to, _ = slices.BinarySearchFunc(s.all, s.firsts[block+1], func(t *SourceTxn, first uint64) int { return cmp.Compare(t.First, first) })
	}
	return s.all[from:to]
}
