package harness

import "context"

// Disks are operations on the disks of stopped nodes. The clusters of a provider that can do them implement it, and "wipe" and
// "cut" are among its capabilities.
type Disks interface {
	// Wipe removes everything that a stopped node has on its disk and formats it again, as the same node of the same
	// cluster, on a new directory id: as if the disk was replaced.
	Wipe(ctx context.Context, node int) error
	// CutLogs cuts a stopped node's logs as a power loss would. It returns what each log lost, sorted by topic and partition,
	// without the logs that lost nothing.
	CutLogs(ctx context.Context, node int, cut LogCut) ([]CutLog, error)
}

// LogCut is how far a node's logs had reached its disk when the power failed. The metadata log is flushed before it
// commits, and is left whole.
type LogCut struct {
	// Checkpoint cuts every log to its recovery point: what Kafka itself had flushed. Ends is not used then.
	Checkpoint bool `json:"checkpoint"`
	// Ends are the log end offsets that had reached the disk. A log that is not named loses everything.
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
