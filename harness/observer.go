package harness

import (
	"context"

	"github.com/chaeos/chaeos/harness/history"
)

// Observer watches a run over links that no fault touches: an LSO sampler and a live read_committed reader.
type Observer interface {
	Viewer
	// Start begins to sample and read every output topic (and to sample the input topic).
	Start(ctx context.Context) error
	// VisibleIn is Visible of one partition.
	VisibleIn(pipeline string, partition int32) uint64
	// LargestLag is how far the LSO was behind the high watermark in the newest samples: the most of the pipeline's output
	// partitions, in offsets.
	LargestLag(pipeline string) int64
	// Failed returns why the observer can no longer record (disk full), or nil.
	Failed() error
	// Stop ends both and closes their files.
	Stop(ctx context.Context) error
	// Histories lists the observer's files; their sizes are final once Stop has returned.
	Histories() []HistoryRecord
}

// Viewer tells what a reader of the outputs has seen.
type Viewer interface {
	// Visible is the number of distinct inputs of a pipeline that the live reader has seen so far.
	Visible(pipeline string) uint64
}

// ObserverSpec is what an observer is made from.
type ObserverSpec struct {
	// Dir is the run's folder: files go to Dir/history as observer files, listed in Histories.
	Dir     string
	RunID   history.RunID
	Cluster Cluster
	Plan    TopicPlan
}

// ReadBackSpec is what the read-back works on, after every source and worker is reaped.
type ReadBackSpec struct {
	Dir     string
	RunID   history.RunID
	Cluster Cluster
	Plan    TopicPlan
}
