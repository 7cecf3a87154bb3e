package verifiers

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/keyset"
)

// name says which record a key is, for people, and in which topic it is due where the row has several.
func (e *row) name(k keyset.Key) string {
	text := e.inputName(k)
	if len(e.layout.Further) > 0 {
		text += " in " + e.at(k.Class).topic
	}
	return text
}

func (e *row) inputName(k keyset.Key) string {
	if e.layout.ProducerOnly {
		return fmt.Sprintf("source %d sequence %d", e.layout.Source, k.Sequence(e.run.record.Plan.Partitions))
	}
	text := fmt.Sprintf("%s/%d offset %d", e.run.record.Plan.Input, e.inputOf(k.Class), k.Index)
	if id, ok := e.identity(k); ok {
		text += fmt.Sprintf(" (source %d sequence %d)", id.Source, id.Sequence)
	}
	return text
}

// identity is what the input log holds at a key's place.
func (e *row) identity(k keyset.Key) (id history.Identity, ok bool) {
	p := e.inputOf(k.Class)
	if p < 0 || int(p) >= len(e.in.ids) {
		return id, false
	}
	c := cursor{ids: e.in.ids[p]}
	return c.identity(int64(k.Index))
}

// since is a monotonic time as people read it: from the load's start.
func (e *row) since(at history.Time) string {
	start := cmp.Or(e.run.record.LoadStart, e.run.record.Base) // a run that never came to its load has only the latter
	return fmt.Sprintf("%.1fs", at.Sub(start).Seconds())
}

// recordRef names the record that a key stands for.
func (e *row) recordRef(k keyset.Key) *harness.RecordRef {
	if e.layout.ProducerOnly {
		return &harness.RecordRef{Source: e.layout.Source, Sequence: k.Sequence(e.run.record.Plan.Partitions), Partition: k.Class, Offset: -1}
	}
	ref := &harness.RecordRef{Topic: e.run.record.Plan.Input, Partition: e.inputOf(k.Class), Offset: int64(k.Index), Source: e.layout.Source}
	if len(e.layout.Further) > 0 {
		ref.Output = e.at(k.Class).topic
	}
	if id, ok := e.identity(k); ok {
		ref.Source, ref.Sequence = id.Source, id.Sequence
	}
	return ref
}

// recordKey is the way back.
func recordKey(r *harness.RecordRef, e *row) keyset.Key {
	if e.layout.ProducerOnly {
		return keyset.BySequence(r.Sequence, e.run.record.Plan.Partitions)
	}
	topic := max(0, slices.Index(e.layout.Outputs(), r.Output))
	return keyset.Key{Class: int32(topic*e.run.record.Plan.Partitions) + r.Partition, Index: uint64(r.Offset)}
}

// at is an output partition by its number.
func (e *row) at(number int32) tp {
	topic, partition := e.layout.Place(number, e.run.record.Plan.Partitions)
	return tp{topic, partition}
}

// place names an output partition for people.
func (e *row) place(number int32) string {
	at := e.at(number)
	return fmt.Sprintf("%s/%d", at.topic, at.partition)
}
