package saved

import (
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/keyset"
)

// Source is what one source said of its records, over all its incarnations. Keys are sequences (keyset.BySequence).
type Source struct {
	partitions int
	Files      []string

	Intended, Acked, Failed, unknown, Sent *keyset.Set
	// stored are the offsets that acknowledgements named; StoredTwice counts those named for two records.
	stored      *keyset.Set
	StoredTwice uint64
	// Txns are the transactions of a source that writes in transactions.
	Txns sourceTxns
}

// NewSource makes a source that has said nothing.
func NewSource(partitions int) *Source {
	return &Source{
		partitions: partitions, Intended: keyset.New(), Acked: keyset.New(), Failed: keyset.New(), unknown: keyset.New(),
		Sent: keyset.New(), stored: keyset.New(),
	}
}

// mostCount is how many records one announcement or one span of acknowledgements can have: far more than a client sends at
// once, and few enough to take one by one.
const mostCount = 1 << 24

// add takes an entry of one incarnation's history.
func (s *Source) add(e history.Entry, incarnation uint32) {
	switch e := e.(type) {
	case *history.TxnBegin, *history.TxnRecords, *history.TxnEnding, *history.TxnEnded:
		s.Txns.add(e, incarnation)
	case *history.Acked:
		for i := range e.Spans {
			s.ack(&e.Spans[i])
		}
	case *history.Resolved:
		to := s.unknown
		switch {
		case e.Sent:
			to = s.Sent
		case e.Outcome == history.OutcomeFailed:
			to = s.Failed
		case e.Outcome == history.OutcomeConfirmed:
			to = s.Acked
		}
		for _, r := range e.Spans {
			s.addRun(to, r)
		}
	}
}

// intent spreads [First, First+Count) over the partitions it goes to, and reports how many are new in each.
func (s *Source) intent(e *history.Intent, handed func(partition int32, n uint64)) {
	if e.Count == 0 {
		return
	}
	if e.Count > mostCount {
		s.Intended.Overflow += e.Count
		return
	}
	parts := uint64(s.partitions)
	for c := range parts {
		first := e.First + (c+parts-e.First%parts)%parts
		if first >= e.First+e.Count {
			continue
		}
		n := (e.First+e.Count-first-1)/parts + 1
		// A source that goes back to its checkpoint intends records again: they are offered once.
		handed(int32(c), s.Intended.AddRange(int32(c), first/parts, first/parts+n))
	}
}

func (s *Source) ack(r *history.AckSpan) {
	s.addRun(s.Acked, r.SequenceSpan)
	if r.Offset < 0 || r.Count > mostCount {
		return
	}
	from := uint64(r.Offset)
	s.StoredTwice += r.Count - s.stored.AddRange(r.Partition, from, from+r.Count)
}

func (s *Source) addRun(to *keyset.Set, r history.SequenceSpan) {
	if r.Count > mostCount {
		to.Overflow += r.Count
		return
	}
	if r.Stride == uint64(s.partitions) {
		k := keyset.BySequence(r.First, s.partitions)
		to.AddRange(k.Partition, k.Index, k.Index+r.Count)
		return
	}
	for i := range r.Count {
		to.Add(keyset.BySequence(r.First+i*r.Stride, s.partitions))
	}
}

// Offered are the records that a source under test has to answer for: those that were acknowledged to it, and with acks=0,
// where nothing is acknowledged, those it sent.
func (s *Source) Offered() *keyset.Set {
	if s.Sent.Len() == 0 {
		return s.Acked
	}
	all := keyset.New()
	all.Union(s.Acked)
	all.Union(s.Sent)
	return all
}

// Unresolved are records whose outcome the source never learnt: it says so, or is silent because it was killed.
func (s *Source) Unresolved() *keyset.Set {
	return s.Intended.Minus(s.Acked).Minus(s.Failed).Minus(s.Sent)
}

// compact makes the sets readable by several rows at the same time.
func (s *Source) compact() {
	s.Txns.sort()
	for _, set := range []*keyset.Set{s.Intended, s.Acked, s.Failed, s.unknown, s.Sent, s.stored} {
		set.Compact()
	}
}

// Overflow reports whether a sequence did not fit into the sets, which then prove nothing.
func (s *Source) Overflow() bool {
	return s.Intended.Overflow+s.Acked.Overflow+s.Failed.Overflow+s.unknown.Overflow+s.Sent.Overflow > 0
}
