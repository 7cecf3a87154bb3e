package observation

import "github.com/chaeos/chaeos/harness/history"

// Marker is what a control batch says.
type Marker uint8

// The markers. MarkerOther is a control record that ends no transaction (a quorum's own, or an unknown type).
const (
	MarkerNone Marker = iota
	MarkerAbort
	MarkerCommit
	MarkerOther
)

// Status is what a record's value turned out to be.
type Status uint8

// The statuses. Input and Output are sound envelopes of this run.
const (
	Input Status = iota
	Output
	// Corrupt claims to be an envelope, but its length or CRC-32C is wrong.
	Corrupt
	// Foreign is no envelope, or another run's.
	Foreign
	lastStatus = Foreign
)

// Record is one record of a log, without its padding.
type Record struct {
	// Offset is the record's own offset in its log (Origin.Offset is its input's).
	Offset int64
	Status Status
	history.Identity
	Scheduled history.Time
	history.Origin
}

// Batch is one record batch of a log: its header, and its records.
type Batch struct {
	// First and Last are the offsets that the header claims.
	First, Last   int64
	ProducerID    int64
	ProducerEpoch int16
	// BaseSequence is -1 without idempotence.
	BaseSequence int32
	LeaderEpoch  int32
	// MaxTimestamp is in milliseconds of the producer's (or broker's) wall clock.
	MaxTimestamp  int64
	Transactional bool
	Control       bool
	Marker        Marker
	// CoordinatorEpoch is the epoch of the transaction coordinator that wrote a marker (-1: no marker, or not kept).
	CoordinatorEpoch int32
	// Bytes is the batch's size in the log, compressed as it is (0: not kept by the version that read it back).
	Bytes int32
	// Damaged means that the batch's own CRC-32C is wrong or its records can't be read; Count of them are then missing.
	Damaged bool
	// Count is the number of records that the header announces.
	Count   int32
	Records []Record
	// Place is where its frame begins in the file that it was read from (ReadSpansFrom).
	Place int64
	// Spans are the records as spans, where they were asked for (ReadSpans); Records is then empty.
	Spans []Span
}

// Sequence is the producer's sequence of the record at offset, or -1 without idempotence: some clients write a base
// sequence of 0 although they have no producer id. Sequences wrap at 2^31.
func (b *Batch) Sequence(offset int64) int32 {
	if b.ProducerID < 0 || b.BaseSequence < 0 {
		return -1
	}
	return int32((int64(b.BaseSequence) + offset - b.First) & 0x7fffffff)
}

// Header says whose log a file holds.
type Header struct {
	Run       history.RunID
	Topic     string
	Partition int32
}
