package checks

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/txns"
	"github.com/chaeos/chaeos/verifiers/words"
)

var outOfOrder = kit.Check{
	Name:    "out-of-order",
	About:   "counts, within one partition, visible records that come after one that the same idempotent producer sent later",
	Control: "two records of a producer swapped",
	Numbers: []harness.Number{
		{
			Key: "outOfOrder", Header: "OUT OF ORDER", Show: harness.WhenNonZero, Absent: harness.Null,
			Means: "Visible records, of the output and of the input, that come in their partition after one that the same producer sent\n" +
				"later: by the processing ordinal of the worker's incarnation, and of a source by its sequence. `–` where the row does not\n" +
				"claim *in-order*.",
			Unseen: "order between partitions, and between producers.",
		},
	},
	Begin: func(s *rows.Subject) kit.Counting {
		if !s.Layout.ClaimsOrder() {
			return nil
		}
		return &outOfOrderCount{source: s.SourceUnderTest()}
	},
}

type outOfOrderCount struct {
	source  bool
	out, in []*sendings
}

// Output implements OutputReader.
func (c *outOfOrderCount) Output(p *logs.Partition) logs.Reader {
	return newSendings(&c.out, p, c.source)
}

// Input implements InputReader.
func (c *outOfOrderCount) Input(p *logs.Partition) logs.Reader { return newSendings(&c.in, p, true) }

// sendings follows in one partition how far each producer's sending has come.
type sendings struct {
	partition *logs.Partition
	source    bool
	producers map[int64]*sending
	late      uint64
	// first is the offset of the first late record.
	first int64
}

// sending is one producer's: next is one above the highest ordinal so far. An ordinal counts within one incarnation of a
// worker, and a source's sequence within one producer epoch, because a source may go back when it takes a new one.
type sending struct {
	by    txns.Incarnation
	epoch int16
	next  uint64
}

func newSendings(of *[]*sendings, p *logs.Partition, source bool) *sendings {
	s := &sendings{partition: p, source: source, producers: map[int64]*sending{}}
	*of = append(*of, s)
	return s
}

// Batch implements logs.Reader.
func (s *sendings) Batch(b *logs.Batch) {
	if b.Visibility != txns.Visible || b.ProducerID < 0 || len(b.Pieces) == 0 {
		return
	}
	by := s.producers[b.ProducerID]
	if by == nil {
		by = &sending{epoch: b.ProducerEpoch}
		s.producers[b.ProducerID] = by
	}
	for i := range b.Pieces {
		if p := &b.Pieces[i]; p.Fresh || p.Kind == logs.Unmatched { // another copy is a duplicate, and no late record
			s.piece(by, b.ProducerEpoch, p)
		}
	}
}

func (s *sendings) piece(by *sending, epoch int16, p *logs.Piece) {
	first, step := p.Span.First.Sequence+uint64(p.At)*p.Span.SequenceStep, p.Span.SequenceStep
	switch who := txns.Of(p.Span.First.Worker, p.Span.First.Incarnation); {
	case s.source && epoch != by.epoch:
		by.epoch, by.next = epoch, 0
	case s.source:
	case who != by.by:
		by.by, by.next = who, 0
		fallthrough
	default:
		first, step = p.Span.First.Processing+uint64(p.At)*p.Span.ProcessingStep, p.Span.ProcessingStep
	}
	late, from := by.take(first, uint64(p.Count), step)
	if late > 0 && s.late == 0 {
		s.first = p.Span.First.Offset + p.At + from
	}
	s.late += late
}

// take returns how many of n records, whose ordinals are a step apart, come after a later one, and which is the first.
func (by *sending) take(first, n, step uint64) (late uint64, from int64) {
	switch {
	case n == 1:
		step = 1
	case int64(step) <= 0: // each but the first comes after a later one
		late, from, n, step = n-1, 1, 1, 1
	}
	if first < by.next {
		late, from = late+min(n, (by.next-first+step-1)/step), 0
	}
	by.next = max(by.next, first+(n-1)*step+1)
	return late, from
}

// Finish implements Counting.
func (c *outOfOrderCount) Finish(f *kit.Facts, n *harness.Numbers) (found []kit.Finding) {
	all, twice := uint64(0), f.In.Twice
	for _, s := range c.in { // what is in the input twice may be late in any of its partitions, and is counted elsewhere
		excused := min(twice, s.late)
		s.late, twice = s.late-excused, twice-excused
	}
	for _, s := range append(c.in, c.out...) {
		if all += s.late; s.late > 0 {
			found = append(found, kit.Breaks(kit.OnlyOrder, "%s/%d: %s records come after one that the same producer sent later, first at offset %d",
				s.partition.At.Topic, s.partition.At.Partition, words.Number(s.late), s.first)...)
		}
	}
	n.Set("outOfOrder", all)
	return found
}
