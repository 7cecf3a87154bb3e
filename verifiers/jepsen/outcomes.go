package jepsen

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// sourceOutcomes is what became of the records of one source's incarnations, read ahead: a block of records is sent
// with one intent, and an operation has one outcome, so that the block must be split before it is written. It grows with
// what was not acknowledged, and with what was acknowledged out of order.
type sourceOutcomes struct {
	// stride is how many partitions the sequences go around; sets are kept for each of them, where they are dense.
	stride uint64
	// intended are all sequences that some incarnation was about to send, again those that it, or another, was twice.
	intended, again ranges
	by              map[string]*outcomes
}

// outcomes are those that one incarnation learnt.
type outcomes struct{ acked, failed []ranges }

func readSourceOutcomes(dir string, files []harness.HistoryRecord, partitions int32) (*sourceOutcomes, error) {
	all := &sourceOutcomes{stride: uint64(partitions), by: map[string]*outcomes{}}
	for _, h := range files {
		one := &outcomes{make([]ranges, partitions), make([]ranges, partitions)}
		all.by[h.File] = one
		err := scan(dir, h, func(e history.Entry) {
			switch e := e.(type) {
			case *history.Intent:
				if e.Count > mostIntended {
					return
				}
				for _, twice := range all.intended.add(e.First, e.First+e.Count) {
					all.again.add(twice.from, twice.to)
				}
			case *history.Acked:
				for _, r := range e.Spans {
					all.put(one.acked, r.SequenceSpan)
				}
			case *history.Resolved:
				for _, r := range e.Spans {
					if e.Outcome == history.OutcomeFailed {
						all.put(one.failed, r)
					}
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// put adds a run of sequences to the sets of their partitions.
func (s *sourceOutcomes) put(to []ranges, r history.SequenceSpan) {
	if r.Stride == s.stride && r.Count > 0 {
		to[r.First%s.stride].add(r.First/s.stride, r.First/s.stride+r.Count)
		return
	}
	for i := range r.Count {
		n := r.First + i*r.Stride
		to[n%s.stride].add(n/s.stride, n/s.stride+1)
	}
}

func (s *sourceOutcomes) has(in []ranges, sequence uint64) bool {
	return in[sequence%s.stride].has(sequence / s.stride)
}

// of is what an incarnation learnt of a sequence, as an operation's outcome. A failure of what was sent twice is no
// proof: its value is the same both times.
func (s *sourceOutcomes) of(file string, sequence uint64) string {
	switch one := s.by[file]; {
	case one == nil:
	case s.has(one.acked, sequence):
		return ok
	case s.has(one.failed, sequence) && !s.again.has(sequence):
		return fail
	}
	return info
}

// scan reads a history, where there is one.
func scan(dir string, h harness.HistoryRecord, fn func(history.Entry)) error {
	_, err := history.Scan(filepath.Join(dir, h.File), func(e history.Entry) error {
		fn(e)
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
