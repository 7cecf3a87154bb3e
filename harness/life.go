package harness

import "github.com/chaeos/chaeos/harness/history"

// RecordLife is what a run's folder shows of one record: everything that happened to it, in time order, and how it ended
// in each pipeline.
type RecordLife struct {
	Run        string `json:"run"`
	Experiment string `json:"experiment"`
	history.Identity
	// LoadStart is what every time is shown from: RunRecord.Zero.
	LoadStart history.Time `json:"loadStart"`
	Events    []LifeEvent  `json:"events"`
	Ends      []LifeEnd    `json:"ends"`
	// Faults are those that overlap the record's events, which name them by their index in this list.
	Faults []FaultRecord `json:"faults"`
	// Missing is what is not recorded, or could not be read.
	Missing []string `json:"notRecorded,omitempty"`
}

// LifeEvent is one thing that happened to a record, or to a process that had it.
type LifeEvent struct {
	At history.Time `json:"at"`
	// Estimated reports whether At comes from a wall-clock stamp in a batch: right to the millisecond unless the clock was
	// set.
	Estimated bool `json:"estimated,omitempty"`
	// Pipeline is empty for the shared source and its topic.
	Pipeline    string `json:"pipeline,omitempty"`
	Process     string `json:"process,omitempty"`
	Incarnation uint32 `json:"incarnation,omitempty"`
	// Kind names what happened: scheduled, handed, acked, settled, stored, marker, seen,
	// started, assigned, polled, waited,
	// begun, outputs, committing, committed, went back, ending,
	// ended, revoked, closed, cut off, injected, healed.
	Kind string `json:"kind"`
	Text string `json:"text"`
	// Faults are the active ones, by their index in RecordLife.Faults.
	Faults []int    `json:"faults,omitempty"`
	Copy   *LogCopy `json:"copy,omitempty"`
}

// LogCopy is one copy of a record in a log, with its batch's header.
type LogCopy struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Offset    int64  `json:"offset"`
	// Standing is visible, aborted or hidden, for a read_committed reader.
	Standing    string `json:"standing"`
	FirstOffset int64  `json:"firstOffset"`
	LastOffset  int64  `json:"lastOffset"`
	ProducerID  int64  `json:"producerID"`
	Epoch       int16  `json:"producerEpoch"`
	// BaseSequence is the batch's, Sequence the record's own; -1 without idempotence.
	BaseSequence  int32 `json:"baseSequence"`
	Sequence      int32 `json:"sequence"`
	LeaderEpoch   int32 `json:"leaderEpoch"`
	Transactional bool  `json:"transactional"`
	// Effect reports whether it is a side effect, not a record: the external service accepted it, as side effect number Offset
	// of that input partition, and no broker has a batch of it.
	Effect bool `json:"effect,omitempty"`
	// Timestamp is the batch's largest, in milliseconds of the producer's wall clock; a side effect's own, of the service's (0
	// in runs of versions that kept none).
	Timestamp int64 `json:"timestamp"`
	// MarkerOffset is that of the marker that ended its transaction; -1 if there is none.
	MarkerOffset int64 `json:"markerOffset"`
	// MarkerTimestamp is in milliseconds of the wall clock of the broker that wrote the marker.
	MarkerTimestamp int64 `json:"markerTimestamp,omitempty"`
	// Origin is the processing that made it; nil in a source's own topic.
	Origin *history.Origin `json:"origin,omitempty"`
}

// LifeEnd is how a record ended in one pipeline.
type LifeEnd struct {
	Pipeline string `json:"pipeline"`
	// State is visible, duplicated, lost, unprocessed, hidden, or unknown if the folder can't tell.
	State string `json:"state"`
	Text  string `json:"text"`
	// Why is what the folder shows of the cause of each further copy, or of the loss.
	Why []string `json:"why,omitempty"`
	// Cause is the verifier's, of the first further copy or of the loss ("" if the counts don't decide between several
	// causes). Anomaly is everything that the verifier knows of it: restarts and rebalances with the commit that they went
	// back to, the commit that passed the record, a truncation with its leader epochs, a deletion.
	Cause   string   `json:"cause,omitempty"`
	Anomaly *Anomaly `json:"anomaly,omitempty"`
}

// Place is an offset of a topic's partition.
type Place struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Offset    int64  `json:"offset"`
}
