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
	// OvertakingCommits are those that passed lost inputs.
	OvertakingCommits []PipelineOvertakingCommit `json:"passes,omitempty"`
	Hanging           []Hanging                  `json:"hanging,omitempty"`
	// Inconclusive are reasons that concern every pipeline of the run.
	Inconclusive []string `json:"inconclusive,omitempty"`
	// Exit is the exit code of the verdicts alone: 0, 3 or 4.
	Exit int `json:"exit"`
	// Why is a sentence on what decided the exit code.
	Why string `json:"why"`
}

// Row is one pipeline's line.
type Row struct {
	Pipeline     string    `json:"pipeline"`
	Claims       Guarantee `json:"claims"`
	ProducerOnly bool      `json:"producerOnly"`
	// Delivered is the claimed guarantee, "violated" or "inconclusive".
	Delivered string             `json:"delivered"`
	Verdicts  []GuaranteeVerdict `json:"verdicts"`
	// Limits are what came of the limits that the experiment sets to the row's figures.
	Limits     []LimitVerdict `json:"limits,omitempty"`
	Numbers    Numbers        `json:"numbers"`
	Deviations []string       `json:"deviations,omitempty"`
	// Notes are findings that decide no verdict, a line each under the table.
	Notes []string `json:"notes,omitempty"`
}

// Verdict returns the row's verdict on g (inconclusive if there is none).
func (r Row) Verdict(g Guarantee) Verdict {
	for _, v := range r.Verdicts {
		if v.Guarantee == g {
			return v.Verdict
		}
	}
	return Inconclusive
}

// GuaranteeVerdict is the verdict on one guarantee of one pipeline, with its findings.
type GuaranteeVerdict struct {
	Guarantee Guarantee `json:"guarantee"`
	Verdict   Verdict   `json:"verdict"`
	// Expected is what the experiment expects ("" nothing); Surprise reports whether it came out otherwise.
	Expected Expectation `json:"expected,omitempty"`
	Surprise bool        `json:"surprise,omitempty"`
	Reasons  []string    `json:"reasons,omitempty"`
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
	// Open reports whether the LSO had not advanced by the last sample.
	Open bool `json:"open,omitempty"`
	// HeldBack is the largest distance of the high watermark from the LSO, in offsets.
	HeldBack        int64  `json:"heldBack"`
	TransactionalID string `json:"transactionalID,omitempty"`
	ProducerID      int64  `json:"producerID,omitempty"`
	ProducerEpoch   int32  `json:"producerEpoch,omitempty"`
	// State is the transaction's in the coordinator's first answer, and StateAt when that came: a second or more after the
	// onset, because brokers are only asked about stalls that last that long. OnsetState is the state at the onset itself if
	// the first answer proves it: a transaction that is Ongoing, and that the coordinator began before the onset, was Ongoing
	// then. Else it is "".
	OnsetState string `json:"onsetState,omitempty"`
	State      string `json:"state,omitempty"`
	StateAt    int64  `json:"stateAt,omitempty" jsonschema:"CLOCK_MONOTONIC nanoseconds"`
	// EndState is the coordinator's last answer and EndStateAt when it came: just after the end, with the producer epoch of
	// then (EndEpoch), or, if it could not be asked then (EndEpoch -1), during the stall.
	EndState    string `json:"endState,omitempty"`
	EndStateAt  int64  `json:"endStateAt,omitempty" jsonschema:"CLOCK_MONOTONIC nanoseconds"`
	EndEpoch    int32  `json:"endEpoch"`
	Coordinator int32  `json:"coordinator"`
	// Timeout is the transaction's, Began its start by the coordinator (0: not known).
	Timeout time.Duration `json:"timeout,omitempty"`
	Began   int64         `json:"began,omitempty" jsonschema:"CLOCK_MONOTONIC nanoseconds"`
	// Records and Bytes are the data records, and their batches' bytes in the log, between the LSO and the highest
	// watermark of the stall, as the read-back found them.
	Records uint64 `json:"records"`
	Bytes   int64  `json:"bytes"`
	// Txn is the transaction whose first record is at the LSO, Marker the control record that ended it.
	Txn    *TxnRef    `json:"txn,omitempty"`
	Marker *MarkerRef `json:"marker,omitempty"`
	// EndedBy is "commit", "abort by client", "abort by timeout", "new producer epoch" (then EndedByIncarnation asked for it), "abort by the fault transaction-abort", or ""
	// if nothing shows it.
	EndedBy            string       `json:"endedBy,omitempty"`
	EndedByIncarnation *Incarnation `json:"endedByLife,omitempty"`
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
