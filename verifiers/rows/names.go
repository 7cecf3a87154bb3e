package rows

import (
	"fmt"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/logs"
)

// RecordName says which record a key is, for people, and in which topic it is due where the row has several.
func (r *Row) RecordName(k keyset.Key) string {
	text := r.InputName(k)
	if len(r.Layout.Further) > 0 {
		text += " in " + r.At(k.Partition).Topic
	}
	return text
}

// InputName says which input a key is, for people.
func (r *Row) InputName(k keyset.Key) string { return r.kind.name(r, k) }

// RecordRef names the record of a key for reports.
func (r *Row) RecordRef(k keyset.Key) *harness.RecordRef { return r.kind.ref(r, k) }

// RecordKey is the key of a record that RecordRef named.
func (s *Subject) RecordKey(ref *harness.RecordRef) keyset.Key { return s.kind.key(s, ref) }

// Since is a monotonic time as people read it: from RunRecord.Zero.
func (s *Subject) Since(at history.Time) string {
	return fmt.Sprintf("%.1fs", at.Sub(s.Run.Record.Zero()).Seconds())
}

func (group) name(r *Row, k keyset.Key) string {
	text := fmt.Sprintf("%s/%d offset %d", r.Run.Record.Plan.Input, r.InputOf(k.Partition), k.Index)
	if id, ok := r.identity(k); ok {
		text += fmt.Sprintf(" (source %d sequence %d)", id.Source, id.Sequence)
	}
	return text
}

func (group) ref(r *Row, k keyset.Key) *harness.RecordRef {
	ref := &harness.RecordRef{Topic: r.Run.Record.Plan.Input, Partition: r.InputOf(k.Partition), Offset: int64(k.Index), Source: r.Layout.Source}
	if len(r.Layout.Further) > 0 {
		ref.Output = r.At(k.Partition).Topic
	}
	if id, ok := r.identity(k); ok {
		ref.Source, ref.Sequence = id.Source, id.Sequence
	}
	return ref
}

func (group) key(s *Subject, ref *harness.RecordRef) keyset.Key {
	topic := max(0, slices.Index(s.Layout.Outputs(), ref.Output))
	return keyset.Key{Partition: int32(topic*s.Run.Record.Plan.Partitions) + ref.Partition, Index: uint64(ref.Offset)}
}

func (source) name(r *Row, k keyset.Key) string {
	return fmt.Sprintf("source %d sequence %d", r.Layout.Source, k.Sequence(r.partitions()))
}

func (source) ref(r *Row, k keyset.Key) *harness.RecordRef {
	return &harness.RecordRef{Source: r.Layout.Source, Sequence: k.Sequence(r.partitions()), Partition: k.Partition, Offset: -1}
}

func (source) key(s *Subject, ref *harness.RecordRef) keyset.Key {
	return keyset.BySequence(ref.Sequence, s.partitions())
}

// identity is what the input log holds at a key's offset.
func (r *Row) identity(k keyset.Key) (id history.Identity, ok bool) {
	p := r.InputOf(k.Partition)
	if p < 0 || int(p) >= len(r.In.IDs) {
		return id, false
	}
	c := logs.Cursor{IDs: r.In.IDs[p]}
	return c.Identity(int64(k.Index))
}
