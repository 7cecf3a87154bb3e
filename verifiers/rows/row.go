package rows

import (
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/logs"
)

// Row is a subject with its logs, and what became of each of its inputs.
type Row struct {
	*Subject
	In  *logs.Input
	Out *logs.Output
	CommittedOffsets

	// Input is what the row had to deliver, once for each of its output topics; InputCount counts it another way.
	Input      *keyset.Set
	InputCount uint64
	// Inputs without a visible copy are hidden, lost or unprocessed. Unread counts those of the hidden whose output partition
	// was not read to its end.
	Hidden, Lost, Unprocessed *keyset.Set
	Unread                    uint64
}

// New classifies a subject's input by its logs.
func New(s *Subject, in *logs.Input, out *logs.Output) *Row {
	r := &Row{Subject: s, In: in, Out: out, CommittedOffsets: committedOffsets(s)}
	r.Input, r.InputCount = s.kind.due(r)
	missing := r.Input.Minus(out.Visible)
	r.Hidden = missing.And(out.Hidden)
	rest := missing.Minus(out.Hidden)
	unread := rest.Where(func(partition int32) bool { return !out.Whole(partition) })
	r.Unread = unread.Len()
	r.Hidden.Union(unread)
	rest = rest.Minus(unread)
	r.Lost = s.kind.passed(r, rest)
	r.Unprocessed = rest.Minus(r.Lost)
	return r
}

// OutputPartition is an output partition by its number, nil where there is none.
func (r *Row) OutputPartition(number int32) *logs.Partition {
	if number < 0 || int(number) >= len(r.Out.Parts) {
		return nil
	}
	return r.Out.Parts[number]
}

// OutputOf is the row's output partition of a topic, nil where it has none.
func (r *Row) OutputOf(topic string, partition int32) *logs.Partition {
	for _, p := range r.Out.Parts {
		if p.At.Topic == topic && p.At.Partition == partition {
			return p
		}
	}
	return nil
}

// PassedText says in a few words why a lost input is delivered to no worker any more, "" if the row has no committed offsets.
// NeverAcknowledged is an input that no member of a share group acknowledged.
func (r *Row) PassedText(k keyset.Key, neverAcknowledged bool) string {
	return r.kind.passedText(r, r.Passed[r.InputOf(k.Partition)], neverAcknowledged)
}
