package rows

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/saved"
)

// name says which record a key is, for people, and in which topic it is due where the row has several.
func (e *Row) RecordName(k keyset.Key) string {
	text := e.InputName(k)
	if len(e.Layout.Further) > 0 {
		text += " in " + e.At(k.Class).Topic
	}
	return text
}

func (e *Row) InputName(k keyset.Key) string {
	if e.Layout.ProducerOnly {
		return fmt.Sprintf("source %d sequence %d", e.Layout.Source, k.Sequence(e.Run.Record.Plan.Partitions))
	}
	text := fmt.Sprintf("%s/%d offset %d", e.Run.Record.Plan.Input, e.InputOf(k.Class), k.Index)
	if id, ok := e.identity(k); ok {
		text += fmt.Sprintf(" (source %d sequence %d)", id.Source, id.Sequence)
	}
	return text
}

// identity is what the input log holds at a key's place.
func (e *Row) identity(k keyset.Key) (id history.Identity, ok bool) {
	p := e.InputOf(k.Class)
	if p < 0 || int(p) >= len(e.In.IDs) {
		return id, false
	}
	c := logs.Cursor{IDs: e.In.IDs[p]}
	return c.Identity(int64(k.Index))
}

// since is a monotonic time as people read it: from the load's start.
func (e *Row) Since(at history.Time) string {
	start := cmp.Or(e.Run.Record.LoadStart, e.Run.Record.Base) // a run that never came to its load has only the latter
	return fmt.Sprintf("%.1fs", at.Sub(start).Seconds())
}

// recordRef names the record that a key stands for.
func (e *Row) RecordRef(k keyset.Key) *harness.RecordRef {
	if e.Layout.ProducerOnly {
		return &harness.RecordRef{Source: e.Layout.Source, Sequence: k.Sequence(e.Run.Record.Plan.Partitions), Partition: k.Class, Offset: -1}
	}
	ref := &harness.RecordRef{Topic: e.Run.Record.Plan.Input, Partition: e.InputOf(k.Class), Offset: int64(k.Index), Source: e.Layout.Source}
	if len(e.Layout.Further) > 0 {
		ref.Output = e.At(k.Class).Topic
	}
	if id, ok := e.identity(k); ok {
		ref.Source, ref.Sequence = id.Source, id.Sequence
	}
	return ref
}

// recordKey is the way back.
func RecordKey(r *harness.RecordRef, e *Row) keyset.Key {
	if e.Layout.ProducerOnly {
		return keyset.BySequence(r.Sequence, e.Run.Record.Plan.Partitions)
	}
	topic := max(0, slices.Index(e.Layout.Outputs(), r.Output))
	return keyset.Key{Class: int32(topic*e.Run.Record.Plan.Partitions) + r.Partition, Index: uint64(r.Offset)}
}

// at is an output partition by its number.
func (e *Row) At(number int32) saved.TopicPartition {
	topic, partition := e.Layout.Place(number, e.Run.Record.Plan.Partitions)
	return saved.TopicPartition{Topic: topic, Partition: partition}
}

// place names an output partition for people.
func (e *Row) PartitionName(number int32) string {
	at := e.At(number)
	return fmt.Sprintf("%s/%d", at.Topic, at.Partition)
}
