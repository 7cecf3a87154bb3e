package logs

import (
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// Batch is one batch of a log as a row sees it.
type Batch struct {
	*observation.Batch
	// Visibility is what the row's readers make of it, Decided what the log's control records say, at either isolation level.
	Visibility, Decided txns.Visibility
	// Pieces are its records in order; a damaged batch has none.
	Pieces []Piece
}

// Piece is some neighbouring records of a batch that are alike: one where they are neighbours in their input too, and
// each by itself elsewhere.
type Piece struct {
	// Span holds the records; the piece is Count of them from its At-th on.
	Span      *observation.Span
	At, Count int64
	Kind      Kind
	// Partition and From are the keys of sound records: From, From+1, … of the partition.
	Partition int32
	From      uint64
	// Fresh means that no copy of them was visible before in the same partition. Only visible records can be fresh.
	Fresh bool
}

// Record is the piece's i-th record.
func (p *Piece) Record(i int64) observation.Record { return p.Span.At(p.At + i) }

func (p *Piece) key() keyset.Key { return keyset.Key{Partition: p.Partition, Index: p.From} }

// To is the key after the piece's last.
func (p *Piece) To() uint64 { return p.From + uint64(p.Count) }

// Kind is what records are to their row.
type Kind int

// The kinds.
const (
	// Sound records are copies of an input.
	Sound Kind = iota
	// Unmatched records: their input is not, or no longer, where they say it is in the input log, though the source sent it.
	Unmatched
	// Foreign records: another run's, no envelope at all, or of an input that was never sent.
	Foreign
	// Corrupt records: their value fails its own checksum.
	Corrupt
)

// Reader is shown a partition's batches in log order. A batch and its pieces are used again: copy what is kept.
type Reader interface {
	Batch(b *Batch)
}

// Readers makes the readers of a partition, before its first batch.
type Readers func(p *Partition) []Reader
