package history

// Entry is one thing that a run recorded: a pointer to one of the structs of entry_*.go.
type Entry interface {
	kind() kind
	// stamp is when it happened; fields moves all other fields, in the order that they have on disk.
	stamp() *Stamp
	fields(*codec)
}

// Stamp is an entry's time: when what it records happened, or was seen.
type Stamp struct{ At Time }

// At is the stamp of a moment.
func At(t Time) Stamp { return Stamp{t} }

// AtNow is the stamp of the present moment.
func AtNow() Stamp { return Stamp{Now()} }

func (s *Stamp) stamp() *Stamp { return s }

// When is an entry's time.
func When(e Entry) Time { return e.stamp().At }

// Outcome is what a process learnt of something that it asked a broker to do.
type Outcome uint8

// The outcomes. Unknown is the zero value: nothing counts as done or as failed by default.
const (
	// OutcomeUnknown: a timeout, a cancelled context, a connection lost after the request was written, a killed process.
	OutcomeUnknown Outcome = iota
	// OutcomeConfirmed: the broker confirmed it.
	OutcomeConfirmed
	// OutcomeFailed: nothing was ever written, or every attempt was definitely rejected before it took effect.
	OutcomeFailed
)

func (o Outcome) String() string {
	return [...]string{"unknown", "confirmed", "failed"}[min(int(o), 2)]
}

// SequenceSpan is a span of sequences: First, First+Stride, … (Count of them).
type SequenceSpan struct{ First, Stride, Count uint64 }

func (s *SequenceSpan) fields(c *codec) {
	c.uint(&s.First)
	c.uint(&s.Stride)
	c.uint(&s.Count)
}

// AckSpan is a span of acknowledged records of one partition: sequences go up by Stride while offsets go up by 1. Offset
// is -1 throughout if the broker gave none (acks=0, DUPLICATE_SEQUENCE_NUMBER).
type AckSpan struct {
	Partition int32
	SequenceSpan
	Offset int64
}

// PartitionCount is a number of records in one partition.
type PartitionCount struct {
	Partition int32
	Count     uint64
}

// PartitionOffset is a committed offset: the next offset to read.
type PartitionOffset struct {
	Partition int32
	Offset    int64
}

func (o *PartitionOffset) fields(c *codec) {
	integer(c, &o.Partition)
	integer(c, &o.Offset)
}

// OffsetRange are the records of one partition with offsets in [From, To).
type OffsetRange struct {
	Partition int32
	From, To  int64
}

func (o *OffsetRange) fields(c *codec) {
	integer(c, &o.Partition)
	integer(c, &o.From)
	integer(c, &o.To)
}
