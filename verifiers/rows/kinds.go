package rows

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/keyset"
)

// kind is what one kind of row does differently from another.
type kind interface {
	// due is what the row had to deliver, and its number, counted another way.
	due(r *Row) (*keyset.Set, uint64)
	// passed are those of the missing inputs that are delivered to no worker any more, and passedText says why.
	passed(r *Row, missing *keyset.Set) *keyset.Set
	passedText(r *Row, committed int64, neverAcknowledged bool) string
	// asked are the keys of a record that is asked about.
	asked(s *Subject, q Question) []keyset.Key
	// name, ref and key turn a key into words, into a reference, and back.
	name(r *Row, k keyset.Key) string
	ref(r *Row, k keyset.Key) *harness.RecordRef
	key(s *Subject, ref *harness.RecordRef) keyset.Key
}

func kindOf(layout harness.PipelineLayout) kind {
	switch {
	case layout.ProducerOnly:
		return source{}
	case layout.ShareGroup:
		return shareGroup{}
	}
	return group{}
}

// group is a row of workers that commit offsets.
type group struct{}

func (group) due(r *Row) (*keyset.Set, uint64) {
	input, n := r.In.Uncommitted, r.In.UncommittedCount
	if r.Layout.ReadCommitted {
		input, n = r.In.Committed, r.In.CommittedCount
	}
	topics := len(r.Layout.Outputs())
	if topics == 1 {
		return input, n
	}
	all := keyset.New()
	for t := range topics {
		all.Union(input.Shifted(int32(t * r.Run.Record.Plan.Partitions)))
	}
	return all, n * uint64(topics)
}

func (group) passed(r *Row, missing *keyset.Set) *keyset.Set {
	limits := map[int32]int64{}
	for partition := range int32(r.OutputPartitions()) {
		limits[partition] = r.Passed[r.InputOf(partition)]
	}
	return missing.Below(limits)
}

func (group) passedText(_ *Row, committed int64, _ bool) string {
	return fmt.Sprintf(", passed by the committed offset %d", committed)
}

func (group) asked(_ *Subject, q Question) (keys []keyset.Key) {
	for _, p := range q.At {
		keys = append(keys, keyset.Key{Partition: p.Partition, Index: uint64(p.Offset)})
	}
	return keys
}

// shareGroup is a row of workers that acknowledge records one by one.
type shareGroup struct{ group }

func (s shareGroup) passed(r *Row, missing *keyset.Set) *keyset.Set {
	all := s.group.passed(r, missing)
	all.Union(missing.And(r.acknowledged(false)))
	return all
}

func (shareGroup) passedText(_ *Row, start int64, neverAcknowledged bool) string {
	if neverAcknowledged {
		return fmt.Sprintf(", handed out and never acknowledged, and the share group now starts at %d", start)
	}
	return fmt.Sprintf(", acknowledged, or below the share group's start %d", start)
}

// NeverAcknowledged returns those of a share group's inputs that no member ever acknowledged, and nil for other rows.
func (r *Row) NeverAcknowledged(inputs *keyset.Set) *keyset.Set {
	if !r.SharesRecords() {
		return nil
	}
	return inputs.Minus(r.acknowledged(true))
}

// acknowledged are the inputs that a share group's members acknowledged: no member is delivered them again. With sent, also those
// of which they never learnt whether the brokers took the acknowledgement.
func (r *Row) acknowledged(sent bool) *keyset.Set {
	all := keyset.New()
	for _, w := range r.Workers {
		if w.Accepted != nil {
			all.Union(w.Accepted)
		}
		if sent && w.Sent != nil {
			all.Union(w.Sent)
		}
	}
	return all
}

// source is a row of a source under test: what was acknowledged to it is due.
type source struct{}

func (source) due(r *Row) (*keyset.Set, uint64) {
	return r.Source.Offered(), r.Source.Acked.Len() + r.Source.Sent.Len()
}

func (source) passed(_ *Row, missing *keyset.Set) *keyset.Set { return missing }

func (source) passedText(*Row, int64, bool) string { return "" }

func (source) asked(s *Subject, q Question) []keyset.Key {
	return []keyset.Key{keyset.BySequence(q.Sequence, s.partitions())}
}
