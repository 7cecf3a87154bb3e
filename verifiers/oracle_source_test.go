package verifiers

import (
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/saved"
)

// sequenceEnd is what a source learnt of one record.
type sequenceEnd int

const (
	silentEnd sequenceEnd = iota
	unknownEnd
	ackedEnd
	failedEnd
	sentEnd
)

// slowSource is what a source's history says, record by record.
type slowSource struct {
	intended map[uint64]bool
	ends     map[uint64]sequenceEnd
	// ackedAt are the places that acknowledgements named.
	ackedAt map[uint64]slowAck
}

type slowAck struct {
	partition int32
	offset    int64
	at        history.Time
}

func slowSourceOf(w *world, number uint16) *slowSource {
	s := &slowSource{intended: map[uint64]bool{}, ends: map[uint64]sequenceEnd{}, ackedAt: map[uint64]slowAck{}}
	for _, f := range w.files {
		if f.record.Role != saved.RoleSource || f.record.Number != int(number) {
			continue
		}
		for _, e := range f.entries {
			s.take(e)
		}
	}
	return s
}

func (s *slowSource) take(e history.Entry) {
	switch e := e.(type) {
	case *history.Intent:
		for seq := e.First; seq < e.First+e.Count; seq++ {
			s.intended[seq] = true
		}
	case *history.Acked:
		for _, r := range e.Spans {
			for i := range r.Count {
				seq := r.First + i*r.Stride
				s.ends[seq] = ackedEnd
				s.ackedAt[seq] = slowAck{r.Partition, r.Offset + int64(i), e.At}
			}
		}
	case *history.Resolved:
		end := map[history.Outcome]sequenceEnd{history.OutcomeFailed: failedEnd, history.OutcomeConfirmed: ackedEnd, history.OutcomeUnknown: unknownEnd}[e.Outcome]
		if e.Sent {
			end = sentEnd
		}
		for _, r := range e.Spans {
			for i := range r.Count {
				s.ends[r.First+i*r.Stride] = end
			}
		}
	}
}

// untold are the records whose end the source never learnt.
func (s *slowSource) untold() (all []uint64) {
	for seq := range s.intended {
		if s.ends[seq] == silentEnd || s.ends[seq] == unknownEnd {
			all = append(all, seq)
		}
	}
	return all
}
