package jepsen

import "github.com/chaeos/chaeos/harness/history"

// source tells what one incarnation of a source sent: each block that it intended is an operation, or one for each
// outcome where its records had several. Blocks overlap, so that a source has as many processes as are under way at once.
type source struct {
	by       string
	file     string
	number   uint16
	keys     keys
	outcomes *sourceOutcomes
	lanes    lanes
	// open are the blocks that are under way, in the order they were intended.
	open []*block
}

// block is what is known of the sequences [first, first+len(parts)).
type block struct {
	first uint64
	// parts says which part each sequence is in, and where in it; done which of them have an outcome.
	parts []part
	done  []bool
	// ops are the parts' operations, left how many of their records have no outcome yet.
	ops  [3]*op
	left [3]int
}

type part struct {
	op uint8
	at uint32
}

var partOutcomes = [3]string{ok, info, fail}

func (s *source) holds() bool { return false }

func (s *source) take(e history.Entry, q *queue) error {
	switch e := e.(type) {
	case *history.Intent:
		s.intend(e, q)
	case *history.Acked:
		for _, r := range e.Spans {
			for i := range r.Count {
				offset := r.Offset
				if offset >= 0 {
					offset += int64(i)
				}
				s.resolve(r.First+i*r.Stride, offset, "")
			}
		}
		s.complete(e.At, q)
	case *history.Resolved:
		for _, r := range e.Spans {
			for i := range r.Count {
				s.resolve(r.First+i*r.Stride, -1, e.Reason)
			}
		}
		s.complete(e.At, q)
	}
	return nil
}

// mostIntended bounds a block: sources intend up to two thousand records at once, and a history that says more was not
// written by one.
const mostIntended = 1 << 16

// intend opens a block.
func (s *source) intend(e *history.Intent, q *queue) {
	if e.Count > mostIntended {
		return
	}
	b := &block{first: e.First, parts: make([]part, e.Count), done: make([]bool, e.Count)}
	for i := range e.Count {
		sequence := e.First + i
		n := uint8(0)
		for partOutcomes[n] != s.outcomes.of(s.file, sequence) {
			n++
		}
		if b.ops[n] == nil {
			b.ops[n] = &op{f: fSend, by: s.by, process: s.lanes.take(), outcome: partOutcomes[n]}
		}
		o := b.ops[n]
		b.parts[i] = part{n, uint32(len(o.sends))}
		o.sends = append(o.sends, send{
			key:   s.keys.written(int32(sequence % s.outcomes.stride)),
			value: value{form: sent, Identity: history.Identity{Source: s.number, Sequence: sequence}}, offset: -1,
		})
		b.left[n]++
	}
	for _, o := range b.ops {
		if o != nil {
			q.add(e.At, false, o)
		}
	}
	s.open = append(s.open, b)
}

// resolve takes a sequence's outcome, for the oldest block that waits for it.
func (s *source) resolve(sequence uint64, offset int64, reason string) {
	for _, b := range s.open {
		i := sequence - b.first
		if sequence < b.first || i >= uint64(len(b.parts)) || b.done[i] {
			continue
		}
		b.done[i] = true
		p := b.parts[i]
		o := b.ops[p.op]
		o.sends[p.at].offset = offset
		if o.reason == "" {
			o.reason = reason
		}
		b.left[p.op]--
		return
	}
}

// complete completes the operations all of whose records have an outcome.
func (s *source) complete(at history.Time, q *queue) {
	kept := s.open[:0]
	for _, b := range s.open {
		open := false
		for n, o := range b.ops {
			if o == nil {
				continue
			}
			if b.left[n] > 0 {
				open = true
				continue
			}
			q.add(at, true, o)
			s.lanes.give(o)
			b.ops[n] = nil
		}
		if open {
			kept = append(kept, b)
		}
	}
	clear(s.open[len(kept):])
	s.open = kept
}

// end completes what never had an outcome: the source was killed, or its history is cut.
func (s *source) end(_ history.Tail, q *queue) error {
	for _, b := range s.open {
		for _, o := range b.ops {
			if o != nil {
				o.outcome = info
				q.add(q.last, true, o)
			}
		}
	}
	s.open = nil
	return nil
}
