package bench

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/effects"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/wait"
)

// looks is the time between two looks at the external service's store.
const looks = 2 * time.Millisecond

// deliveries are what a pipeline has delivered, by when each record was due: what a read_committed reader gets
// of its output topic, or what the external service has stored.
type deliveries struct {
	stop  context.CancelFunc
	ended chan struct{}
	// backlog is how many records are due at once after the steady load.
	backlog int

	mu  sync.Mutex
	err error
	// begin is when the steady load began: the first record was due then.
	begin   history.Time
	latency *hdrhistogram.Histogram
	// late are the records of the backlog that came in time, first and last when they came.
	late        int64
	first, last history.Time
}

// follow begins to read.
func (r *rig) follow(ctx context.Context, b *testing.B, layout harness.PipelineLayout, dir string) *deliveries {
	ctx, stop := context.WithCancel(ctx)
	d := &deliveries{stop: stop, backlog: backlogOf(layout.PipelineInfo), ended: make(chan struct{}), latency: hdrhistogram.New(1000, int64(time.Minute), 3)}
	read := func() error { return d.readStore(ctx, effects.Path(dir), layout.Name) }
	if !layout.Effects {
		offsets := map[int32]kgo.Offset{}
		for p := range int32(partitions) {
			offsets[p] = kgo.NewOffset().AtStart()
		}
		client, err := harness.DirectClient(r.cluster, "bench-deliveries", kgo.FetchIsolationLevel(kgo.ReadCommitted()),
			kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{layout.Output: offsets}))
		require.NoError(b, err)
		read = func() error { return d.readTopic(ctx, client) }
	}
	go func() {
		defer close(d.ended)
		if err := read(); err != nil && ctx.Err() == nil {
			d.fail(err)
		}
	}()
	return d
}

func (d *deliveries) fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err = errors.Join(d.err, err)
}

func (d *deliveries) readTopic(ctx context.Context, client *kgo.Client) error {
	defer client.Close()
	for ctx.Err() == nil {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return err
		}
		var values [][]byte
		fetches.EachRecord(func(rec *kgo.Record) { values = append(values, rec.Value) })
		if err := d.take(values, history.Now()); err != nil {
			return err
		}
	}
	return nil
}

// readStore reads the service's store, which makes latencies longer by looks at most.
func (d *deliveries) readStore(ctx context.Context, path, pipeline string) error {
	store, err := effects.Open(path)
	if err != nil {
		return err
	}
	next := map[int32]int64{}
	err = wait.Poll(ctx, looks, func() (bool, error) {
		for p := range int32(partitions) {
			fresh, err := store.From(ctx, pipeline, p, next[p], d.backlog)
			if err != nil {
				return false, err
			}
			next[p] += int64(len(fresh))
			var values [][]byte
			for _, e := range fresh {
				values = append(values, e.Value)
			}
			if err := d.take(values, history.Now()); err != nil {
				return false, err
			}
		}
		return false, nil
	})
	return errors.Join(err, store.Close())
}

func (d *deliveries) take(values [][]byte, now history.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, value := range values {
		env, _, err := history.Decode(value)
		if err != nil {
			return err
		}
		if err := d.count(env.Scheduled, now); err != nil {
			return err
		}
	}
	return nil
}

func (d *deliveries) count(scheduled, now history.Time) error {
	if d.begin == 0 || scheduled < d.begin {
		d.begin = scheduled
	}
	switch due := scheduled.Sub(d.begin); {
	case due >= steadyFor:
		if d.first == 0 {
			d.first = now
		}
		if now.Sub(d.first) <= backlogFor {
			d.late++
			d.last = now
		}
	case due >= steadyWarm && due < steadyFor-settling:
		return d.latency.RecordValue(int64(now.Sub(scheduled)))
	}
	return nil
}

// done reports whether the backlog was worked off, or for as long as it is looked at.
func (d *deliveries) done() (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.late >= int64(d.backlog) || d.first != 0 && history.Now().Sub(d.first) > backlogFor, d.err
}

func (d *deliveries) cost(b *testing.B) cost {
	d.mu.Lock()
	defer d.mu.Unlock()
	took := backlogFor
	if d.late >= int64(d.backlog) {
		took = d.last.Sub(d.first)
	}
	require.Positive(b, d.latency.TotalCount(), "nothing came while the load was steady")
	return cost{
		rate: float64(d.late) / took.Seconds(),
		p50:  time.Duration(d.latency.ValueAtQuantile(50)), p99: time.Duration(d.latency.ValueAtQuantile(99)),
	}
}

func (d *deliveries) close() {
	d.stop()
	<-d.ended
}
