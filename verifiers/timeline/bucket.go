package timeline

import (
	"time"

	"github.com/chaeos/chaeos/harness/history"
)

// Width is how long a bucket is.
const Width = 100 * time.Millisecond

// slots is how many finer slots a bucket's running lag is followed through.
const slots = 10

// Bucket is 100 ms of one output partition of a pipeline.
type Bucket struct {
	Pipeline  string
	Partition int32
	// Start is the bucket's first moment; buckets are aligned to the load's start.
	Start history.Time
	// Acked counts records that were acknowledged to the pipeline's source, Visible inputs whose first output the live
	// reader was given.
	Acked, Visible uint64
	// LagMin and LagMax are the extremes of acked less visible records so far. Below 0: a record was visible before its
	// acknowledgement was recorded.
	LagMin, LagMax int64
	// StableLagMin and StableLagMax are the extremes of the high watermark less the last stable offset, in offsets; nil
	// where no sample fell into the bucket.
	StableLagMin, StableLagMax *int64
	// Latency is nil where no first output was delivered in the bucket.
	Latency *Latency
}

// Latency is how long the records that were delivered in a bucket took, from their scheduled send times.
type Latency struct {
	Count              uint64
	Min, P50, P99, Max time.Duration
}
