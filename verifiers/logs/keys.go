package logs

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/saved"
)

// keys says which input each record of a row's output is a copy of.
type keys interface {
	// split appends a run's records as pieces.
	split(to []Piece, r *observation.Span) []Piece
	// number is what tells a run's first record from those of other inputs, and the step from one record to the next: what
	// sections keep. indexes turns a range of such numbers into one of keys' indexes.
	number(r *observation.Span) (first, step uint64)
	indexes(low, high uint64) (from, to uint64)
}

// newKeys makes the keys of one output partition of a row.
func newKeys(r *saved.Run, in *Input, layout harness.PipelineLayout, p *Partition) keys {
	source := sent{by: layout.Source, history: r.Sources[layout.Source], partitions: r.Record.Plan.Partitions}
	if layout.ProducerOnly {
		return &sourceKeys{source}
	}
	k := &workerKeys{sent: source, first: p.Number - p.At.Partition}
	for _, ids := range in.IDs {
		k.cursors = append(k.cursors, Cursor{IDs: ids})
	}
	return k
}

// sent knows what a row's source sent.
type sent struct {
	by         uint16
	history    *saved.Source
	partitions int
}

// key is a record's by its sequence, ok where the source sent it.
func (s *sent) key(sequence uint64) (k keyset.Key, ok bool) {
	k = keyset.BySequence(sequence, s.partitions)
	return k, s.history != nil && s.history.Intended.Has(k)
}

// strange returns the one piece of a run whose records are not of this row, whatever their keys.
func (s *sent) strange(r *observation.Span, want observation.Status) (p Piece, strange bool) {
	p = Piece{Span: r, Count: r.Count}
	switch {
	case r.First.Status == observation.Corrupt:
		p.Kind = Corrupt
	case r.First.Status != want, r.First.Source != s.by:
		p.Kind = Foreign
	default:
		return p, false
	}
	return p, true
}

// workerKeys are those of outputs: each names its input's partition and offset. Where a row has several output topics, each
// input has a key in each (rows.Row.At).
type workerKeys struct {
	sent
	// cursors look inputs up, by partition; first is the key partition of input partition 0 in the log's topic.
	cursors []Cursor
	first   int32
}

func (k *workerKeys) split(to []Piece, r *observation.Span) []Piece {
	p, strange := k.strange(r, observation.Output)
	if strange {
		return append(to, p)
	}
	in := r.First.Partition
	known := in >= 0 && int(in) < len(k.cursors)
	p.Partition = k.first + in
	if o := r.First.Origin.Offset; known && r.Count > 1 && r.OriginStep == 1 && o >= 0 && k.cursors[in].holds(o, r.Count, r.First.Identity, r.SequenceStep) {
		p.From = uint64(o)
		return append(to, p)
	}
	for i := range r.Count {
		one := Piece{Span: r, At: i, Count: 1, Partition: p.Partition}
		rec := r.At(i)
		one.Kind = k.kind(known, &rec)
		if one.Kind == Sound {
			one.From = uint64(rec.Origin.Offset)
		}
		to = append(to, one)
	}
	return to
}

// kind compares an output with the input that it names.
func (k *workerKeys) kind(known bool, rec *observation.Record) Kind {
	if known {
		if id, ok := k.cursors[rec.Partition].Identity(rec.Origin.Offset); ok && id == rec.Identity {
			return Sound
		}
	}
	if _, ok := k.key(rec.Sequence); ok {
		return Unmatched
	}
	return Foreign
}

func (k *workerKeys) number(r *observation.Span) (first, step uint64) {
	return uint64(r.First.Origin.Offset), uint64(r.OriginStep)
}

func (k *workerKeys) indexes(low, high uint64) (from, to uint64) { return low, high }

// sourceKeys are those of a source under test: its records are the input themselves, known by their sequences.
type sourceKeys struct{ sent }

func (k *sourceKeys) split(to []Piece, r *observation.Span) []Piece {
	p, strange := k.strange(r, observation.Input)
	if strange {
		return append(to, p)
	}
	if r.Count > 1 && r.SequenceStep == uint64(k.partitions) && k.history != nil {
		first := keyset.BySequence(r.First.Sequence, k.partitions)
		if k.history.Intended.HasRange(first.Partition, first.Index, first.Index+uint64(r.Count)) {
			p.Partition, p.From = first.Partition, first.Index
			return append(to, p)
		}
	}
	for i := range r.Count {
		one := Piece{Span: r, At: i, Count: 1}
		if key, ok := k.key(r.At(i).Sequence); ok {
			one.Partition, one.From = key.Partition, key.Index
		} else {
			one.Kind = Foreign
		}
		to = append(to, one)
	}
	return to
}

func (k *sourceKeys) number(r *observation.Span) (first, step uint64) {
	return r.First.Sequence, r.SequenceStep
}

func (k *sourceKeys) indexes(low, high uint64) (from, to uint64) {
	return low / uint64(k.partitions), high / uint64(k.partitions)
}

// inputKeys are those of the input log itself: every input is where it is.
type inputKeys struct{ partition int32 }

func (k inputKeys) split(to []Piece, r *observation.Span) []Piece {
	p := Piece{Span: r, Count: r.Count, Partition: k.partition, From: uint64(r.First.Offset), Fresh: true}
	switch r.First.Status {
	case observation.Corrupt:
		p.Kind = Corrupt
	case observation.Foreign, observation.Output:
		p.Kind = Foreign
	}
	return append(to, p)
}

func (inputKeys) number(r *observation.Span) (first, step uint64) { return uint64(r.First.Offset), 1 }

func (inputKeys) indexes(low, high uint64) (from, to uint64) { return low, high }

var (
	_ keys = (*workerKeys)(nil)
	_ keys = (*sourceKeys)(nil)
	_ keys = inputKeys{}
)
