package timeline

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/history"
)

// recorded is what the histories tell of one pipeline, reduced as it is read.
type recorded struct {
	source  uint16
	outputs []string
	start   history.Time
	// acked is by the input's partition, visible and given by topic and partition.
	acked   map[int32]counted
	visible map[ask.TopicPartition]counted
	given   map[ask.TopicPartition][]delivery
	// stable are the extremes of the samples, by bucket.
	stable map[ask.TopicPartition]map[int64]extremes
	// first and last are the slots of the first and last thing that was recorded, of whatever pipeline.
	first, last int64
	any         bool
	// away reports whether a moment is too far from the load: buckets up to it would fill the disk.
	away func(history.Time) bool
}

// delivery is a range of offsets that the live reader was given at one moment.
type delivery struct {
	at       history.Time
	from, to int64
}

type extremes struct{ low, high int64 }

// Build hands a run's buckets to take, by pipeline, partition and time. It fails where the folder holds no run, a file of
// another version, or a file that is missing.
func Build(dir string, take func(Bucket) error) error {
	record, err := harness.LoadRecord(dir)
	if err != nil {
		return err
	}
	for _, layout := range record.Plan.Pipelines {
		// Each pipeline's share is read by itself: to keep all of them would take memory as there are pipelines.
		r, err := recordedOf(dir, record, layout)
		if err != nil {
			return fmt.Errorf("timeline: %w", err)
		}
		if err := r.pipeline(dir, record, layout, take); err != nil {
			return err
		}
	}
	return nil
}

// recordedOf reads the histories for a pipeline.
func recordedOf(dir string, record *harness.RunRecord, layout harness.PipelineLayout) (*recorded, error) {
	r := &recorded{
		source: layout.Source, outputs: layout.Outputs(), start: record.Zero(), away: record.Away, acked: map[int32]counted{},
		visible: map[ask.TopicPartition]counted{}, given: map[ask.TopicPartition][]delivery{},
		stable: map[ask.TopicPartition]map[int64]extremes{},
	}
	for _, h := range record.Histories {
		if h.Role == "worker" {
			continue
		}
		number := uint16(h.Number)
		if _, err := history.Scan(filepath.Join(dir, h.File), func(e history.Entry) error {
			r.add(number, e)
			return nil
		}); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// pipeline hands over the pipeline's buckets.
func (r *recorded) pipeline(dir string, record *harness.RunRecord, layout harness.PipelineLayout, take func(Bucket) error) error {
	joined, err := r.join(dir, record, layout)
	if err != nil {
		return fmt.Errorf("timeline: %w", err)
	}
	for n := range joined {
		topic, partition := layout.Place(int32(n), record.Plan.Partitions)
		at, acked := ask.TopicPartition{Topic: topic, Partition: partition}, r.acked[partition]
		if err := r.emit(Bucket{Pipeline: layout.Name, Partition: int32(n)}, acked, at, joined[n], take); err != nil {
			return err
		}
	}
	return nil
}

// join reads a pipeline's logs for their latencies, as many at a time as there are processors.
func (r *recorded) join(dir string, record *harness.RunRecord, layout harness.PipelineLayout) ([]map[int64]Latency, error) {
	joined := make([]map[int64]Latency, record.Plan.Partitions*len(layout.Outputs()))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for n := range joined {
		topic, partition := layout.Place(int32(n), record.Plan.Partitions)
		g.Go(func() (err error) {
			joined[n], err = latencies(dir, record, ask.TopicPartition{Topic: topic, Partition: partition}, r)
			return err
		})
	}
	return joined, g.Wait()
}

func (r *recorded) add(number uint16, e history.Entry) {
	if r.away(history.When(e)) {
		return
	}
	switch e := e.(type) {
	case *history.Acked:
		for _, run := range e.Spans {
			if slot := r.slot(e.At); number == r.source {
				of(r.acked, run.Partition, func() counted { return counted{} }).add(slot, uint32(run.Count))
			}
		}
	case *history.DeliveredLive:
		slot, at := r.slot(e.At), ask.TopicPartition{Topic: e.Topic, Partition: e.Partition}
		if !r.isOutput(e.Topic) {
			return
		}
		of(r.visible, at, func() counted { return counted{} }).add(slot, uint32(e.New))
		r.given[at] = append(r.given[at], delivery{e.At, e.From, e.To})
	case *history.Sample:
		if e.Broker < 0 {
			return // no broker led it
		}
		slot := r.slot(e.At)
		if !r.isOutput(e.Topic) {
			return
		}
		buckets := of(r.stable, ask.TopicPartition{Topic: e.Topic, Partition: e.Partition}, func() map[int64]extremes { return map[int64]extremes{} })
		at, lag := bucketOf(slot), e.HW-e.LSO
		x, ok := buckets[at]
		if !ok {
			x = extremes{lag, lag}
		}
		buckets[at] = extremes{min(x.low, lag), max(x.high, lag)}
	}
}

func (r *recorded) isOutput(topic string) bool { return slices.Contains(r.outputs, topic) }

func of[K comparable, V any](m map[K]V, k K, make func() V) V {
	v, ok := m[k]
	if !ok {
		v = make()
		m[k] = v
	}
	return v
}

// slot numbers a moment, and widens what was recorded to it.
func (r *recorded) slot(at history.Time) int64 {
	n := floor(int64(at-r.start), int64(Width)/slots)
	if !r.any {
		r.first, r.last, r.any = n, n, true
	}
	r.first, r.last = min(r.first, n), max(r.last, n)
	return n
}

func bucketOf(slot int64) int64 { return floor(slot, slots) }

// floor divides and rounds down, below 0 too.
func floor(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// emit hands over one output partition's buckets: of is what they have in common.
func (r *recorded) emit(of Bucket, acked counted, at ask.TopicPartition, took map[int64]Latency, take func(Bucket) error) error {
	if !r.any {
		return nil
	}
	visible := r.visible[at]
	var lag int64
	for n := bucketOf(r.first); n <= bucketOf(r.last); n++ {
		b := of
		b.Start, b.LagMin, b.LagMax = r.start+history.Time(n*int64(Width)), lag, lag
		for s := n * slots; s < (n+1)*slots; s++ {
			b.Acked += acked.in(s)
			b.Visible += visible.in(s)
			lag += int64(acked.in(s)) - int64(visible.in(s))
			b.LagMin, b.LagMax = min(b.LagMin, lag), max(b.LagMax, lag)
		}
		if x, ok := r.stable[at][n]; ok {
			b.StableLagMin, b.StableLagMax = &x.low, &x.high
		}
		if l, ok := took[n]; ok {
			b.Latency = &l
		}
		if err := take(b); err != nil {
			return err
		}
	}
	return nil
}
