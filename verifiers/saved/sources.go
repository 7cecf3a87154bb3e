package verifiers

import (
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/keyset"
)

// source is what one source said of its records, over all its incarnations. Keys are sequences (keyset.BySequence).
type source struct {
	partitions int
	files      []string

	intended, acked, failed, unknown, sent *keyset.Set
	// stored are the offsets that acknowledgements named; storedTwice counts those named for two records.
	stored      *keyset.Set
	storedTwice uint64
}

func newSource(partitions int) *source {
	return &source{
		partitions: partitions, intended: keyset.New(), acked: keyset.New(), failed: keyset.New(), unknown: keyset.New(),
		sent: keyset.New(), stored: keyset.New(),
	}
}

func (s *source) add(e history.Entry) {
	switch e := e.(type) {
	case *history.Acked:
		for i := range e.Runs {
			s.ack(&e.Runs[i])
		}
	case *history.Settled:
		to := s.unknown
		switch {
		case e.Sent:
			to = s.sent
		case e.Outcome == history.OutcomeFailed:
			to = s.failed
		case e.Outcome == history.OutcomeConfirmed:
			to = s.acked
		}
		for _, r := range e.Runs {
			s.addRun(to, r)
		}
	}
}

// intent spreads [First, First+Count) over the partitions it goes to, and says how many are handed over anew in each.
func (s *source) intent(e *history.Intent, handed func(partition int32, n uint64)) {
	if e.Count == 0 {
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
		handed(int32(c), s.intended.AddRange(int32(c), first/parts, first/parts+n))
	}
}

func (s *source) ack(r *history.AckRun) {
	s.addRun(s.acked, r.SeqRun)
	if r.Offset < 0 {
		return
	}
	from := uint64(r.Offset)
	s.storedTwice += r.Count - s.stored.AddRange(r.Partition, from, from+r.Count)
}

func (s *source) addRun(to *keyset.Set, r history.SeqRun) {
	if r.Stride == uint64(s.partitions) {
		k := keyset.BySequence(r.First, s.partitions)
		to.AddRange(k.Class, k.Index, k.Index+r.Count)
		return
	}
	for i := range r.Count {
		to.Add(keyset.BySequence(r.First+i*r.Stride, s.partitions))
	}
}

// offered are the records that a source under test has to answer for: those it was told are stored, and with acks=0,
// where it is told nothing, those it sent.
func (s *source) offered() *keyset.Set {
	if s.sent.Len() == 0 {
		return s.acked
	}
	all := keyset.New()
	all.Union(s.acked)
	all.Union(s.sent)
	return all
}

// unsettled are records whose end the source never learnt: told so, or silent because it was killed.
func (s *source) unsettled() *keyset.Set {
	return s.intended.Minus(s.acked).Minus(s.failed).Minus(s.sent)
}

// compact makes what was said readable by several rows at the same time.
func (s *source) compact() {
	for _, set := range []*keyset.Set{s.intended, s.acked, s.failed, s.unknown, s.sent, s.stored} {
		set.Compact()
	}
}

func (s *source) overflow() bool {
	return s.intended.Overflow+s.acked.Overflow+s.failed.Overflow+s.unknown.Overflow+s.sent.Overflow > 0
}
