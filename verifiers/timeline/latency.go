package timeline

import (
	"errors"
	"io/fs"
	"math"
	"slices"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// latencies joins a partition's log with what the live reader was given of it, by bucket of the delivery. Only the first
// copy of a record in the partition counts.
func latencies(dir string, record *harness.RunRecord, at ask.TopicPartition, r *recorded) (map[int64]Latency, error) {
	path := observation.File(dir, at.Topic, at.Partition)
	var txns observation.Transactions
	_, _, err := observation.ReadFile(path, true, func(b *observation.Batch) error {
		txns.Add(b)
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // not read back: what was delivered is counted, how long it took is not known
	}
	if err != nil {
		return nil, err
	}
	j := &join{
		aborts: observation.NewAborts(txns.Aborted()), given: disjoint(r.given[at]), seen: map[uint16]*keyset.Set{},
		partitions: max(1, record.Plan.Partitions), start: r.start, buckets: map[int64]Latency{},
	}
	_, _, err = observation.ReadFile(path, false, func(b *observation.Batch) error {
		j.batch(b)
		return nil
	})
	j.flush()
	return j.buckets, err
}

// disjoint gives every offset to the last delivery that covered it: after a truncation the same offsets were given again,
// and the log holds what was given last.
func disjoint(given []delivery) []delivery {
	var kept []delivery
	limit := int64(math.MaxInt64)
	for _, d := range slices.Backward(given) {
		d.to = min(d.to, limit)
		if d.from < d.to {
			kept = append(kept, d)
			limit = d.from
		}
	}
	slices.Reverse(kept)
	return kept
}

// join walks a log and its deliveries side by side.
type join struct {
	aborts     *observation.Aborts
	given      []delivery
	seen       map[uint16]*keyset.Set
	partitions int
	start      history.Time
	buckets    map[int64]Latency
	bucket     int64
	took       []time.Duration
}

func (j *join) batch(b *observation.Batch) {
	if b.Control || b.Damaged || j.aborts.Has(b) {
		return
	}
	for i := range b.Records {
		rec := &b.Records[i]
		if rec.Status > observation.Output {
			continue
		}
		for len(j.given) > 0 && j.given[0].to <= rec.Offset {
			j.given = j.given[1:]
		}
		if len(j.given) == 0 || j.given[0].from > rec.Offset {
			continue // the live reader never got it
		}
		seen := of(j.seen, rec.Source, keyset.New)
		if took := j.given[0].at.Sub(rec.Scheduled); seen.Add(keyset.BySequence(rec.Sequence, j.partitions)) && took >= 0 {
			j.add(j.given[0].at, took)
		}
	}
}

func (j *join) add(at history.Time, took time.Duration) {
	if n := floor(int64(at-j.start), int64(Width)); n != j.bucket {
		j.flush()
		j.bucket = n
	}
	j.took = append(j.took, took)
}

// flush sums the bucket's latencies up. Deliveries go up in time, so a bucket comes once.
func (j *join) flush() {
	n := len(j.took)
	if n == 0 {
		return
	}
	slices.Sort(j.took)
	at := func(q float64) time.Duration { return j.took[min(n-1, int(math.Ceil(q*float64(n)))-1)] }
	j.buckets[j.bucket] = Latency{Count: uint64(n), Min: j.took[0], P50: at(0.50), P99: at(0.99), Max: j.took[n-1]}
	j.took = j.took[:0]
}
