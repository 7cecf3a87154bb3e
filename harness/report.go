package harness

import "time"

// Report is the verdict on one run: what the table, JSON and every other renderer show.
type Report struct {
	Version    int           `json:"version"`
	Run        string        `json:"run"`
	Experiment string        `json:"experiment"`
	Seed       uint64        `json:"seed"`
	Started    time.Time     `json:"started"`
	Took       time.Duration `json:"took"`
	Provider   string        `json:"provider"`
	Kafka      string        `json:"kafka"`
	// Chaeos is the version of the program that did the run; another may have judged it again.
	Chaeos  string `json:"chaeos"`
	Brokers int    `json:"brokers"`
	// Asked are the feature levels that the experiment or a flag asked for.
	Asked []Feature `json:"asked,omitempty"`
	// Controllers are the nodes that are controllers only; Racks the brokers' racks; Properties the broker properties that
	// the experiment or a flag set.
	Controllers int               `json:"controllers,omitempty"`
	Racks       []string          `json:"racks,omitempty"`
	Properties  map[string]string `json:"properties,omitempty"`
	MinISR      int               `json:"minISR"`
	Features    []Feature         `json:"features"`
	Faults      []FaultRecord     `json:"faults"`
	// LoadStart is what times are shown from: the schedule's zero, or the run's start where the load never began
	// (RunRecord.Zero).
	LoadStart int64   `json:"loadStart" jsonschema:"CLOCK_MONOTONIC nanoseconds: what times are shown from"`
	Rows      []Row   `json:"rows"`
	Stalls    []Stall `json:"stalls"`
	// Anomalies are the first of every kind (MaxAnomalies), row by row; Rereads what led to second deliveries; Hanging the
	// transactions that never ended.
	Anomalies []Anomaly        `json:"anomalies,omitempty"`
	Rereads   []PipelineReread `json:"rereads,omitempty"`
	// Passes are the commits that went past lost inputs.
	Passes  []PipelinePass `json:"passes,omitempty"`
	Hanging []Hanging      `json:"hanging,omitempty"`
	// Inconclusive are reasons that concern every pipeline of the run.
	Inconclusive []string `json:"inconclusive,omitempty"`
	// Exit is the run's exit code by the verdicts alone: 0, 3 or 4.
	Exit int `json:"exit"`
	// Why says in a sentence what decided the exit code.
	Why string `json:"why"`
}

// Row is one pipeline's line.
type Row struct {
	Pipeline     string    `json:"pipeline"`
	Claims       Guarantee `json:"claims"`
	ProducerOnly bool      `json:"producerOnly"`
	// Delivered is the claimed guarantee, "violated" or "inconclusive".
	Delivered  string             `json:"delivered"`
	Verdicts   []GuaranteeVerdict `json:"verdicts"`
	Numbers    Numbers            `json:"numbers"`
	Deviations []string           `json:"deviations,omitempty"`
	// Notes are findings worth a line under the table that decide no verdict.
	Notes []string `json:"notes,omitempty"`
}

// Verdict returns the row's verdict on g (inconclusive where there is none).
func (r Row) Verdict(g Guarantee) Verdict {
	for _, v := range r.Verdicts {
		if v.Guarantee == g {
			return v.Verdict
		}
	}
	return Inconclusive
}

// GuaranteeVerdict is the verdict on one guarantee of one pipeline, with its evidence.
type GuaranteeVerdict struct {
	Guarantee Guarantee `json:"guarantee"`
	Verdict   Verdict   `json:"verdict"`
	// Expected is what the experiment expects ("" nothing); Surprise says that it came out otherwise.
	Expected Expectation `json:"expected,omitempty"`
	Surprise bool        `json:"surprise,omitempty"`
	Reasons  []string    `json:"reasons,omitempty"`
}

// Numbers are one pipeline's figures. docs/NUMBERS.md defines each. A nil pointer means "does not apply" or "not
// observed", never 0.
type Numbers struct {
	Input            uint64            `json:"input"`
	Unique           uint64            `json:"unique"`
	Duplicates       uint64            `json:"duplicates"`
	DuplicatedInputs uint64            `json:"duplicatedInputs"`
	DuplicatesBy     map[string]uint64 `json:"duplicatesBy,omitempty"`
	Lost             uint64            `json:"lost"`
	LostBy           map[string]uint64 `json:"lostBy,omitempty"`
	Unprocessed      uint64            `json:"unprocessed"`
	Hidden           uint64            `json:"hidden"`
	// Unknown are outcomes that a source or committer never learnt; UnknownHappened of them took effect.
	// Hanging are transactions that were still open after everything had settled.
	Hanging         uint64 `json:"hanging"`
	Unknown         uint64 `json:"unknown"`
	UnknownHappened uint64 `json:"unknownHappened"`
	UnknownDidNot   uint64 `json:"unknownDidNot"`
	// UnknownCommits are those of them that were offset commits or ends of transactions; the rest were produces.
	UnknownCommits         uint64 `json:"unknownCommits"`
	UnknownCommitsHappened uint64 `json:"unknownCommitsHappened"`
	Phantom                uint64 `json:"phantom"`
	// Torn, CommittedNotSeen and AbortedSeen are nil for pipelines without transactions.
	Torn             *uint64 `json:"torn"`
	CommittedNotSeen *uint64 `json:"committedNotSeen"`
	AbortedSeen      *uint64 `json:"abortedSeen"`
	// Split are inputs that one output topic has and another lacks; nil for pipelines with one output topic.
	Split *uint64 `json:"split,omitempty"`
	// Contradicted are control records that say otherwise than the worker was told; nil like Torn.
	Contradicted    *uint64 `json:"contradicted"`
	Reordered       uint64  `json:"reordered"`
	Corrupt         uint64  `json:"corrupt"`
	Foreign         uint64  `json:"foreign"`
	OffsetsWentBack uint64  `json:"offsetsWentBack"`
	// AckedAbsent and IdentityTwice are the source's faults in the pipeline's input, charged to no pipeline.
	AckedAbsent   uint64 `json:"ackedAbsent"`
	IdentityTwice uint64 `json:"identityTwice"`
	// AckedAbsentBy counts the first of them by cause.
	AckedAbsentBy map[string]uint64 `json:"ackedAbsentBy,omitempty"`

	LSOStalls    *uint64        `json:"lsoStalls"`
	LongestStall *time.Duration `json:"longestStall"`
	TotalStall   *time.Duration `json:"totalStall"`
	// NoProgress is the worst over partitions; NoProgressIn the partition.
	NoProgress       *time.Duration `json:"noProgress"`
	NoProgressIn     int32          `json:"noProgressIn"`
	Recovery         *time.Duration `json:"recovery"`
	RecoveryFromHeal *time.Duration `json:"recoveryFromHeal"`
	P50              *time.Duration `json:"p50"`
	P99              *time.Duration `json:"p99"`
	// NeverLive are inputs whose output the live reader never got: their latency counts as infinite.
	NeverLive uint64 `json:"neverLive"`
}

// Stall is one standstill of a partition's last stable offset behind its high watermark.
type Stall struct {
	Pipeline  string `json:"pipeline"`
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	LSO       int64  `json:"lso"`
	Start     int64  `json:"start" jsonschema:"CLOCK_MONOTONIC nanoseconds"`
	// End is the first sample that showed an advance, or the last sample.
	End    int64         `json:"end" jsonschema:"CLOCK_MONOTONIC nanoseconds"`
	Length time.Duration `json:"length"`
	// Open says that the LSO had not advanced by the last sample.
	Open bool `json:"open,omitempty"`
	// HeldBack is the largest distance of the high watermark from the LSO, in offsets.
	HeldBack        int64  `json:"heldBack"`
	TransactionalID string `json:"transactionalID,omitempty"`
	ProducerID      int64  `json:"producerID,omitempty"`
	ProducerEpoch   int32  `json:"producerEpoch,omitempty"`
	// State is the transaction's by the coordinator's first answer, and StateAt when that came: a second or more after the
	// onset, for brokers are asked only about what stands that long. OnsetState is the state at the onset itself where the
	// first answer proves it: a transaction that is Ongoing, and that the coordinator began before the onset, was Ongoing
	// then. "" where nothing does.
	OnsetState string `json:"onsetState,omitempty"`
	State      string `json:"state,omitempty"`
	StateAt    int64  `json:"stateAt,omitempty" jsonschema:"CLOCK_MONOTONIC nanoseconds"`
	// EndState is the coordinator's last word and EndStateAt when it came: just after the end where it could be asked, with
	// the producer epoch that it then had (EndEpoch, -1: could not be asked), and otherwise while the stall went on.
	EndState    string `json:"endState,omitempty"`
	EndStateAt  int64  `json:"endStateAt,omitempty" jsonschema:"CLOCK_MONOTONIC nanoseconds"`
	EndEpoch    int32  `json:"endEpoch"`
	Coordinator int32  `json:"coordinator"`
	// Timeout is the transaction's, Began its start by the coordinator (0: not told).
	Timeout time.Duration `json:"timeout,omitempty"`
	Began   int64         `json:"began,omitempty" jsonschema:"CLOCK_MONOTONIC nanoseconds"`
	// Records and Bytes are the data records, and their batches' bytes in the log, between the LSO and the highest
	// watermark of the stall, as the read-back found them.
	Records uint64 `json:"records"`
	Bytes   int64  `json:"bytes"`
	// Txn is the transaction whose first record is at the LSO, Marker the control record that ended it.
	Txn    *TxnRef    `json:"txn,omitempty"`
	Marker *MarkerRef `json:"marker,omitempty"`
	// EndedBy is "commit", "abort by client", "abort by timeout", "new producer epoch" (then EndedByLife is who asked for
	// it), or "" where nothing tells.
	EndedBy     string `json:"endedBy,omitempty"`
	EndedByLife *Life  `json:"endedByLife,omitempty"`
	// Fault is the fault that was active at the onset, Faults all that were active during it.
	Fault  string   `json:"fault,omitempty"`
	Faults []string `json:"faults,omitempty"`
}

// MarkerRef is a control record that ended a transaction in one partition.
type MarkerRef struct {
	Offset        int64 `json:"offset"`
	Commit        bool  `json:"commit"`
	ProducerEpoch int16 `json:"producerEpoch"`
	// CoordinatorEpoch is the epoch of the coordinator that wrote it (-1: not kept).
	CoordinatorEpoch int32 `json:"coordinatorEpoch"`
	// At is when it was appended, by the leader's clock, as a time of the run.
	At int64 `json:"at" jsonschema:"CLOCK_MONOTONIC nanoseconds"`
}
