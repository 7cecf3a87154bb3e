package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// deliveries are what a read_committed reader gets of a pipeline's output, told apart by when each record was due.
type deliveries struct {
	client *kgo.Client
	ended  chan struct{}

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
func (r *rig) follow(ctx context.Context, b *testing.B, layout harness.PipelineLayout) *deliveries {
	offsets := map[int32]kgo.Offset{}
	for p := range int32(partitions) {
		offsets[p] = kgo.NewOffset().AtStart()
	}
	client, err := harness.DirectClient(r.cluster, "bench-deliveries", kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{layout.Output: offsets}))
	require.NoError(b, err)
	d := &deliveries{client: client, ended: make(chan struct{}), latency: hdrhistogram.New(1000, int64(time.Minute), 3)}
	go func() {
		defer close(d.ended)
		for {
			fetches := client.PollFetches(ctx)
			if fetches.IsClientClosed() || ctx.Err() != nil {
				return
			}
			d.take(fetches, history.Now())
		}
	}()
	return d
}

func (d *deliveries) take(fetches kgo.Fetches, now history.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err = errors.Join(d.err, fetches.Err())
	fetches.EachRecord(func(rec *kgo.Record) {
		env, _, err := history.Decode(rec.Value)
		if err != nil {
			d.err = errors.Join(d.err, fmt.Errorf("%s/%d, offset %d: %w", rec.Topic, rec.Partition, rec.Offset, err))
			return
		}
		if d.begin == 0 || env.Scheduled < d.begin {
			d.begin = env.Scheduled
		}
		switch due := env.Scheduled.Sub(d.begin); {
		case due >= steadyFor:
			if d.first == 0 {
				d.first = now
			}
			if now.Sub(d.first) <= backlogFor {
				d.late++
				d.last = now
			}
		case due >= steadyWarm && due < steadyFor-settling:
			if err := d.latency.RecordValue(int64(now.Sub(env.Scheduled))); err != nil {
				d.err = errors.Join(d.err, err)
			}
		}
	})
}

// done says whether the backlog was worked off, or for as long as it is looked at.
func (d *deliveries) done() (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.late >= backlog || d.first != 0 && history.Now().Sub(d.first) > backlogFor, d.err
}

func (d *deliveries) cost(b *testing.B) cost {
	d.mu.Lock()
	defer d.mu.Unlock()
	took := backlogFor
	if d.late >= backlog {
		took = d.last.Sub(d.first)
	}
	require.Positive(b, d.latency.TotalCount(), "nothing came while the load was steady")
	return cost{
		rate: float64(d.late) / took.Seconds(),
		p50:  time.Duration(d.latency.ValueAtQuantile(50)), p99: time.Duration(d.latency.ValueAtQuantile(99)),
	}
}

func (d *deliveries) close() {
	d.client.Close()
	<-d.ended
}
