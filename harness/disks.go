package harness

import "context"

// Disks are operations on the disks of nodes that are stopped. A provider that can do them offers them beside Nodes, and
// lists "wipe" and "cut" among its capabilities.
type Disks interface {
	// Wipe removes everything that a stopped node has on its disk and formats it again, as the same node of the same
	// cluster, on a new directory id: a disk that was replaced.
	Wipe(ctx context.Context, node int) error
	// CutLogs leaves of a stopped node's logs what a loss of power would. It says what each log lost, sorted by topic and
	// partition, logs that lost nothing left out.
	CutLogs(ctx context.Context, node int, cut LogCut) ([]CutLog, error)
}

// LogCut says up to where a node's logs had reached its disk when the power went. The metadata log is flushed before it
// commits, and is left whole.
type LogCut struct {
	// Checkpoint cuts every log to its recovery point: what Kafka itself had flushed. Ends does not matter then.
	Checkpoint bool `json:"checkpoint"`
	// Ends are the log end offsets that had reached the disk. Of logs that are not named nothing had.
	Ends []LogEnd `json:"ends,omitempty"`
}

// LogEnd is where one log ends: the offset that its next record would have.
type LogEnd struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Offset    int64  `json:"offset"`
}

// CutLog is one log of one node that lost its tail: it ended at From, and ends at To now, at a batch's boundary.
type CutLog struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	From      int64  `json:"from"`
	To        int64  `json:"to"`
}
