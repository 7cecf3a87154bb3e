package harness

import (
	"fmt"
	"time"

	"github.com/chaeos/chaeos/harness/history"
)

// AnomalyKind is what an anomaly is an example of. Each kind names the figure that counts all of it.
type AnomalyKind string

// The kinds of anomalies.
const (
	AnomalyDuplicate        AnomalyKind = "duplicate"
	AnomalyLost             AnomalyKind = "lost"
	AnomalyTorn             AnomalyKind = "torn"
	AnomalyAbortedSeen      AnomalyKind = "aborted-seen"
	AnomalyCommittedNotSeen AnomalyKind = "committed-not-seen"
	AnomalyContradicted     AnomalyKind = "contradicted"
	AnomalyPhantom          AnomalyKind = "phantom"
	AnomalyUnknown          AnomalyKind = "unknown"
	AnomalyHidden           AnomalyKind = "hidden"
	AnomalyUnprocessed      AnomalyKind = "unprocessed"
	AnomalyAckedAbsent      AnomalyKind = "acked-absent"
	AnomalyIdentityTwice    AnomalyKind = "identity-twice"
	AnomalyHanging          AnomalyKind = "hanging"
)

// AnomalyKinds lists them all, as documents do.
func AnomalyKinds() []AnomalyKind {
	return []AnomalyKind{
		AnomalyDuplicate, AnomalyLost, AnomalyTorn, AnomalyAbortedSeen, AnomalyCommittedNotSeen, AnomalyContradicted, AnomalyPhantom,
		AnomalyUnknown, AnomalyHidden, AnomalyUnprocessed, AnomalyAckedAbsent, AnomalyIdentityTwice, AnomalyHanging,
	}
}

// MaxAnomalies is how many anomalies of a kind a report keeps of one pipeline, the first by place in the log. Figures
// count all of them.
const MaxAnomalies = 100

// Anomaly is one thing that a check found, with everything that it is based on. What doesn't apply is nil.
type Anomaly struct {
	Pipeline string      `json:"pipeline"`
	Kind     AnomalyKind `json:"kind"`
	// Cause is one of docs/NUMBERS.md's causes, where the kind has causes.
	Cause string `json:"cause,omitempty"`
	// Record is the record in question; Copies are its copies in the output log, in log order.
	Record *RecordRef `json:"record,omitempty"`
	Copies []CopyRef  `json:"copies,omitempty"`
	// Txn is the transaction in question, or the one that wrote the record.
	Txn *TxnRef `json:"txn,omitempty"`
	// Ack is the acknowledgement of a record that is not there.
	Ack *AckRef `json:"ack,omitempty"`
	// Commit is the offset commit that passed a lost record.
	Commit *CommitRef `json:"commit,omitempty"`
	// Truncation is the range of the log that was cut off under it, Deletion the log start that passed it.
	Truncation *Truncation `json:"truncation,omitempty"`
	Deletion   *Deletion   `json:"deletion,omitempty"`
	// Text is a sentence for people.
	Text string `json:"text"`
}

// RecordRef names a record: which source sent it, and where it is in the pipeline's input log (Offset is -1 where the source
// writes straight to the measured topic).
type RecordRef struct {
	Source    uint16 `json:"source"`
	Sequence  uint64 `json:"sequence"`
	Topic     string `json:"topic,omitempty"`
	Partition int32  `json:"partition"`
	Offset    int64  `json:"offset"`
	// Output is the output topic of the anomaly, if the pipeline writes to several.
	Output string `json:"output,omitempty"`
}

// Incarnation names one incarnation of a worker.
type Incarnation struct {
	Worker      uint16 `json:"worker"`
	Incarnation uint32 `json:"incarnation"`
	// Name is the worker's process ("transactional-0").
	Name string `json:"name,omitempty"`
}

// CopyRef is one copy of a record in the output log, with its batch's header.
type CopyRef struct {
	Topic         string `json:"topic"`
	Partition     int32  `json:"partition"`
	Offset        int64  `json:"offset"`
	ProducerID    int64  `json:"producerID"`
	ProducerEpoch int16  `json:"producerEpoch"`
	// Sequence is the record's own, -1 without idempotence.
	Sequence    int32 `json:"sequence"`
	LeaderEpoch int32 `json:"leaderEpoch"`
	// By, Processing and Txn are the worker's: its incarnation, the delivery, and its transaction's ordinal (0: none).
	By         *Incarnation `json:"by,omitempty"`
	Processing uint64       `json:"processing,omitempty"`
	Txn        uint64       `json:"txn,omitempty"`
	// Cause is why this copy exists after the earlier ones ("" for the first).
	Cause string `json:"cause,omitempty"`
	// Reread is the restart, rebalance or rewind that led to it, if it is a second delivery.
	Reread *Reread `json:"reread,omitempty"`
}

// TxnRef is one transaction: as its worker numbered it, and as the brokers know it.
type TxnRef struct {
	By *Incarnation `json:"by,omitempty"`
	// Ordinal is the worker's number of it (from 1; 0: not known).
	Ordinal         uint64 `json:"ordinal,omitempty"`
	TransactionalID string `json:"transactionalID,omitempty"`
	ProducerID      int64  `json:"producerID"`
	ProducerEpoch   int32  `json:"producerEpoch"`
	// Outcome is the answer that the worker got: "commit confirmed", "abort confirmed", "commit refused", "commit unknown", "never
	// asked".
	Outcome string `json:"outcome,omitempty"`
	// Decided is what the log says: "committed", "aborted", "open", "nothing of it".
	Decided string `json:"decided,omitempty"`
}

// AckRef is where an acknowledgement placed a record, and what is there now.
type AckRef struct {
	Topic     string       `json:"topic"`
	Partition int32        `json:"partition"`
	Offset    int64        `json:"offset"`
	At        history.Time `json:"at"`
	// Now is what is at that offset now; LeaderEpoch is its batch's (-1: nothing is there).
	Now         string `json:"holder"`
	LeaderEpoch int32  `json:"leaderEpoch"`
}

// CommitRef is one offset commit of one input partition.
type CommitRef struct {
	By *Incarnation `json:"by,omitempty"`
	// Partition is the input's, Offset the committed offset.
	Partition int32        `json:"partition"`
	Offset    int64        `json:"offset"`
	At        history.Time `json:"at"`
	// Outcome is what the worker knows of it: "confirmed" or "unknown".
	Outcome string `json:"outcome"`
	// Txn is the transaction that carried it (0: none).
	Txn uint64 `json:"txn,omitempty"`
}

// OvertakingCommit is an offset commit past inputs without an output. From is the committed offset before it, Lost the number
// of lost inputs between the two.
type OvertakingCommit struct {
	CommitRef
	From int64  `json:"from"`
	Lost uint64 `json:"lost"`
}

// PipelineOvertakingCommit is an overtaking commit of one pipeline.
type PipelineOvertakingCommit struct {
	Pipeline string `json:"pipeline"`
	OvertakingCommit
}

// Reread is one time that a worker began to read an input partition below what had been read before.
type Reread struct {
	// Why is "restart" (a new incarnation of the same worker), "rebalance" (another worker, or the same one assigned the
	// partition again), "rewind" (the same worker went back by itself) or "redelivery" (a share group's brokers handed the
	// records out again).
	Why string `json:"why"`
	// Release is, of a redelivery, how the delivery before it ended: "died" or "left" (its worker, with the records in
	// hand), "refused" (its acknowledgement), "expired" (its lock), "acknowledged" (and handed out all the same), or "lost" (no
	// history tells: the brokers forgot that a worker had it). HandedOut is when that delivery was, Deliveries the highest
	// count of deliveries that the brokers reported (0: none).
	Release    string       `json:"release,omitempty"`
	HandedOut  history.Time `json:"handedOut,omitempty"`
	Deliveries uint64       `json:"deliveries,omitempty"`
	// Reason is what the brokers answered to the first refused acknowledgement.
	Reason string      `json:"reason,omitempty"`
	By     Incarnation `json:"by"`
	// Before is the incarnation that had processed the records; Killed reports whether the run had killed it.
	Before    Incarnation `json:"before"`
	Killed    bool        `json:"killed,omitempty"`
	Partition int32       `json:"partition"`
	// Generation is the group's when the partition was assigned (-1: not recorded), Assigned is when that was.
	Generation int32        `json:"generation"`
	Assigned   history.Time `json:"assigned"`
	// Began is its first poll, From the offset it began at. Committed is the newest confirmed commit of the partition
	// before that, nil if there was none.
	Began     history.Time `json:"began"`
	From      int64        `json:"from"`
	Committed *CommitRef   `json:"committed,omitempty"`
	// Copies counts the duplicates that it led to.
	Copies uint64 `json:"copies"`
	// Text is a sentence for people.
	Text string `json:"text"`
}

// Truncation is a range of a log that was there once and is gone, or has later records now.
type Truncation struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	From      int64  `json:"from"`
	To        int64  `json:"to"`
	// OldEpoch is the leader epoch under which the range was there (-1: not known), NewEpoch the one that took its place.
	OldEpoch int32 `json:"oldEpoch"`
	NewEpoch int32 `json:"newEpoch"`
	// SeenBy is what proves that it was there: "live reader", "high watermark", "log end", "acknowledgement" or "a later
	// record in its place".
	SeenBy string `json:"seenBy"`
	// Committed reports whether it had been below the high watermark: a reader could have got it.
	Committed bool `json:"committed"`
}

// Deletion is a log start that moved past records.
type Deletion struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	LogStart  int64  `json:"logStart"`
	// Fault is the recorded fault that moved it ("" none).
	Fault string `json:"fault,omitempty"`
}

// Hanging is a transaction that was still open after the settle phase.
type Hanging struct {
	Pipeline string `json:"pipeline"`
	TxnRef
	// State is the coordinator's ("" no coordinator lists it: it never ends by itself), Coordinator the broker (-1).
	State       string `json:"state,omitempty"`
	Coordinator int32  `json:"coordinator"`
	// Age is how long it had been open when the brokers were asked; 0 where they did not say.
	Age        time.Duration   `json:"age,omitempty"`
	Timeout    time.Duration   `json:"timeout,omitempty"`
	Partitions []HangingInPart `json:"partitions"`
	// Abort are the commands that would end it, one a partition: Kafka's own, and this program's, for a cluster that is
	// still up.
	Abort         []string `json:"abort"`
	AbortByChaeos []string `json:"abortByChaeos"`
}

// HangingInPart is where a hanging transaction holds back the last stable offset.
type HangingInPart struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Start     int64  `json:"start"`
	// Hidden is the number of offsets from its start to the log's end.
	Hidden uint64 `json:"hidden"`
}

// AbortByChaeos is the command that ends the partition's hanging transactions on a cluster that is still up. Silent is for
// how long their producer has written nothing (0: not known): younger transactions are left alone.
func (p HangingInPart) AbortByChaeos(silent time.Duration) string {
	older := ""
	if silent = min(silent.Truncate(time.Second), time.Hour); silent > 0 { // transaction-abort takes up to an hour
		older = " older=" + silent.String()
	}
	return fmt.Sprintf(`chaeos inject transaction-abort%s --target "partition %s/%d" --for 1s`, older, p.Topic, p.Partition)
}

// PipelineReread is a reread of one pipeline.
type PipelineReread struct {
	Pipeline string `json:"pipeline"`
	Reread
}
