package history

// Entry is one thing a run recorded. Every entry has its kind's number on disk; numbers are never reused.
type Entry interface {
	kind() kind
	fields(*codec)
}

type kind byte

// Outcome is what a process learnt of something it asked a broker to do.
type Outcome uint8

// The outcomes. Unknown is the zero value: nothing counts as done or as failed by default.
const (
	// OutcomeUnknown: a timeout, a cancelled context, a connection lost after the request was written, a killed process.
	OutcomeUnknown Outcome = iota
	// OutcomeConfirmed: the broker said yes.
	OutcomeConfirmed
	// OutcomeFailed: nothing was ever written, or every attempt was definitely rejected before it took effect.
	OutcomeFailed
)

func (o Outcome) String() string {
	return [...]string{"unknown", "confirmed", "failed"}[min(int(o), 2)]
}

// Process opens every file: whose history it is.
type Process struct {
	At  Time
	Run RunID
	// Name is the process ("transactional-0", "source-input"); Role is source, worker or harness.
	Name, Role string
	// Pipeline is the pipeline's name (empty for the shared source and the harness).
	Pipeline string
	// Number is the worker's or the source's number.
	Number      uint16
	Incarnation uint32
	Pid         int64
}

// SeqRun is a run of sequences: First, First+Stride, … (Count of them).
type SeqRun struct{ First, Stride, Count uint64 }

// Intent says that the source is about to hand Sequences [First, First+Count) to its client.
type Intent struct {
	At           Time
	First, Count uint64
}

// AckRun is a run of acknowledged records of one partition: sequences go up by Stride while offsets go up by 1. Offset
// is -1 throughout where the broker gave none (acks=0, DUPLICATE_SEQUENCE_NUMBER).
type AckRun struct {
	Partition int32
	SeqRun
	Offset int64
}

// Acked are records whose storing the broker confirmed.
type Acked struct {
	At   Time
	Runs []AckRun
}

// Settled are records with another end than an acknowledgement: failed, unknown, or (Sent) written with acks=0.
type Settled struct {
	At      Time
	Outcome Outcome
	Sent    bool
	Reason  string
	Runs    []SeqRun
}

// Assigned says that the group gave the worker these partitions, beside those it had.
type Assigned struct {
	At         Time
	Generation int32
	Partitions []int32
}

// Revoked says that the partitions left the worker: given back in order, or Lost (fenced, session expired).
type Revoked struct {
	At         Time
	Lost       bool
	Partitions []int32
}

// Polled says that a poll delivered Count records with offsets in [From, To) of one partition; their processing ordinals
// are Processing, Processing+1, ….
type Polled struct {
	At         Time
	Partition  int32
	From, To   int64
	Count      uint64
	Processing uint64
}

// TxnBegin opens transaction number Txn of this incarnation (from 1).
type TxnBegin struct {
	At  Time
	Txn uint64
}

// PartitionCount is a number of records in one partition.
type PartitionCount struct {
	Partition int32
	Count     uint64
}

// Outputs says what became of outputs that a worker produced (in transaction Txn, or 0): Outcome for each partition's
// count of them since the entry before. In a transaction, confirmed means stored, not yet committed.
type Outputs struct {
	At      Time
	Txn     uint64
	Outcome Outcome
	Reason  string
	Counts  []PartitionCount
}

// PartitionOffset is a committed position: the next offset to read.
type PartitionOffset struct {
	Partition int32
	Offset    int64
}

// Committing says that the worker is about to commit these positions (in transaction Txn, or 0).
type Committing struct {
	At      Time
	Txn     uint64
	Offsets []PartitionOffset
}

// Committed is the outcome of an offset commit. Inside a transaction, confirmed means accepted as pending: it takes
// effect with the transaction.
type Committed struct {
	At      Time
	Txn     uint64
	Outcome Outcome
	Reason  string
	Offsets []PartitionOffset
}

// OffsetRange are the records of one partition with offsets in [From, To).
type OffsetRange struct {
	Partition int32
	From, To  int64
}

// Redelivered says that brokers of a share group count the records that were just polled with offsets in [From, To) as handed
// out Count times, this time included; only from the second time on (KIP-932's delivery count).
type Redelivered struct {
	At        Time
	Partition int32
	From, To  int64
	Count     uint64
}

// Acknowledging says that a member of a share group is about to acknowledge (accept) these records.
type Acknowledging struct {
	At     Time
	Ranges []OffsetRange
}

// Acknowledged is the outcome of acknowledging records to a share group.
type Acknowledged struct {
	At      Time
	Outcome Outcome
	Reason  string
	Ranges  []OffsetRange
}

// TxnEnding says that the worker is about to end transaction Txn.
type TxnEnding struct {
	At     Time
	Txn    uint64
	Commit bool
}

// TxnEnded is the outcome of ending transaction Txn. Commit says what was confirmed, or else what was asked for.
type TxnEnded struct {
	At      Time
	Txn     uint64
	Commit  bool
	Outcome Outcome
	Reason  string
}

// Phase says that the worker reached a named phase of its loop at which it was told to wait.
type Phase struct {
	At   Time
	Name string
	// Held counts the records the worker had taken and not finished at that moment.
	Held uint64
}

// Sample is one reading of an output partition's last stable offset and high watermark, from one broker that believes
// itself its leader. A cut-off leader answers with frozen values: drop samples of an older leader epoch.
type Sample struct {
	At          Time
	Topic       string
	Partition   int32
	Broker      int32
	LeaderEpoch int32
	LSO, HW     int64
}

// Replicas is who leads a partition and which replicas are in sync, as one broker's metadata shows it; written when that
// broker's view changes. A broker that is cut off from the controllers keeps showing an old view.
type Replicas struct {
	At        Time
	Broker    int32
	Topic     string
	Partition int32
	// Leader is -1 while the partition has none.
	Leader      int32
	LeaderEpoch int32
	ISR         []int32
}

// LogEnd is the end of a partition's log at a broker that believes itself its leader: what it has stored, replicated or
// not. It is written only where it lies above the high watermark.
type LogEnd struct {
	At          Time
	Topic       string
	Partition   int32
	Broker      int32
	LeaderEpoch int32
	End         int64
}

// Seen says that the live read_committed reader was given Count records with offsets in [From, To) of a topic's
// partition, New of which it had not seen the input of before.
type Seen struct {
	At         Time
	Topic      string
	Partition  int32
	From, To   int64
	Count, New uint64
}

// Latency carries a pipeline's end-to-end latencies up to now: an HdrHistogram in its V2 compressed encoding, nanoseconds.
type Latency struct {
	At       Time
	Pipeline string
	HDR      []byte
}

// Culprit names the transaction that holds a partition's LSO, as DescribeProducers, ListTransactions and
// DescribeTransactions told while it stood still.
type Culprit struct {
	At              Time
	Topic           string
	Partition       int32
	LSO             int64
	ProducerID      int64
	ProducerEpoch   int32
	TransactionalID string
	State           string
	Coordinator     int32
	TimeoutMillis   int32
	// StartMillis is the transaction's start by the coordinator's wall clock (-1 unknown).
	StartMillis int64
}

// Released is what the coordinator said of a transaction just after the last stable offset that it had held moved on: its
// state, and the producer id and epoch that it goes on with.
type Released struct {
	At              Time
	Topic           string
	Partition       int32
	LSO             int64
	ProducerID      int64
	ProducerEpoch   int32
	TransactionalID string
	State           string
	Coordinator     int32
}

// ProducerInit says that a worker asked for a producer id (InitProducerID), which ends what its predecessor with the same
// transactional id left open: asked at Asked, answered at At, with the broker's or the connection's error ("" none).
type ProducerInit struct {
	At, Asked       Time
	TransactionalID string
	Error           string
}

// MarkDataLoss names the mark of a reader whose client was told that its log was cut off below where it had read.
const MarkDataLoss = "data-loss"

// MarkSequences names the mark of a live reader that counts an input as new by its sequence too, not only by its place.
const MarkSequences = "sequences"

// Mark is a named moment of the run: a phase's start, a note.
type Mark struct {
	At   Time
	Name string
	Text string
}

// End closes a file in order. A file without it was cut, or its writer was killed.
type End struct{ At Time }
