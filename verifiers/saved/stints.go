package saved

import (
	"cmp"
	"slices"

	"github.com/chaeos/chaeos/harness/history"
)

// maxStints bounds how many stints of an incarnation are kept. One that goes back at every poll has more, and what
// it read in the others is a reprocessing whose reason is not known.
const maxStints = 10_000

// Stint is a time in which an incarnation read one input partition forwards, without going back.
type Stint struct {
	Worker    *Worker
	partition int32
	// Generation and Assigned are those of the assignment it began under (-1 and 0: none was recorded).
	Generation int32
	Assigned   history.Time
	// Began is its first poll, of offsets from From up to to; its deliveries have the processing ordinals first to last.
	Began       history.Time
	From, to    int64
	first, last uint64
}

// stints follows what one incarnation was assigned and polled.
type stints struct {
	assigned map[int32]assignment
	// open are the stints that go on, by partition; all are all of them, in the order they began.
	open map[int32]*Stint
	all  []*Stint
}

type assignment struct {
	at         history.Time
	generation int32
}

func (s *stints) add(w *Worker, e history.Entry) {
	switch e := e.(type) {
	case *history.Assigned:
		for _, p := range e.Partitions {
			if s.assigned == nil {
				s.assigned = map[int32]assignment{}
			}
			s.assigned[p] = assignment{e.At, e.Generation}
			delete(s.open, p)
		}
	case *history.Revoked:
		for _, p := range e.Partitions {
			delete(s.open, p)
		}
	case *history.Polled:
		s.polled(w, e)
	}
}

func (s *stints) polled(w *Worker, e *history.Polled) {
	if e.Count == 0 {
		return
	}
	last := e.Processing + e.Count - 1
	if open := s.open[e.Partition]; open != nil && e.From >= open.to {
		open.to, open.last = e.To, last
		return
	}
	if len(s.all) >= maxStints {
		delete(s.open, e.Partition)
		return
	}
	assigned, ok := s.assigned[e.Partition]
	if !ok {
		assigned.generation = -1
	}
	next := &Stint{
		Worker: w, partition: e.Partition, Generation: assigned.generation, Assigned: assigned.at,
		Began: e.At, From: e.From, to: e.To, first: e.Processing, last: last,
	}
	if s.open == nil {
		s.open = map[int32]*Stint{}
	}
	s.open[e.Partition] = next
	s.all = append(s.all, next)
}

// Of finds the stint in which a delivery of a partition's record was made. Stints of one partition follow one another in
// processing ordinals; those of several partitions interleave.
func (s *stints) Of(partition int32, processing uint64) *Stint {
	i, _ := slices.BinarySearchFunc(s.all, processing, func(x *Stint, p uint64) int { return cmp.Compare(x.first, p+1) })
	for i--; i >= 0; i-- {
		if x := s.all[i]; x.partition == partition {
			if processing <= x.last {
				return x
			}
			return nil
		}
	}
	return nil
}
