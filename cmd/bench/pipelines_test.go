package bench

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/workloads"
)

// Each pipeline is given a steady load first, for its latency, then so much at once that it is always behind.
const (
	steadyRate = 500.0
	steadyFor  = 3 * time.Second
	// steadyWarm is left out of the latencies: first requests, first transactions.
	steadyWarm = time.Second
	// settling is left out at the end of the steady load: who takes longer is taken at its word by the deliveries so far.
	settling   = 100 * time.Millisecond
	backlog    = 200_000
	backlogFor = 2500 * time.Millisecond
	// producerBacklog is a producer's: it takes no longer for what a worker works off in seconds, and half a second is
	// too short to say anything.
	producerBacklog = 4 * backlog
	// warmRounds is how often what others are compared with runs before anything counts: brokers' JVMs that have just
	// started are slow to their first hundreds of thousands of records.
	warmRounds = 4
	// pipelineWithin bounds one pipeline's measuring, which takes seven seconds.
	pipelineWithin = time.Minute
)

// What each kind of pipeline is compared with: the one that promises least.
const (
	referenceWorker   = "auto-commit"
	referenceProducer = "acks1"
)

// cost is what one pipeline did without any fault.
type cost struct {
	rate     float64 // records a second, visible to a read_committed reader
	p50, p99 time.Duration
}

// BenchmarkPipelines reports what each pipeline delivers without faults: alone on one cluster, one worker without any work
// to do for a record, 100-byte records; throughput against the pipeline of its kind that promises least, and the time from a
// record's due time until a read_committed reader has its output, or the external service has stored its effect.
func BenchmarkPipelines(b *testing.B) {
	r := newRig(b)
	infos := workloads.Infos()
	slices.SortStableFunc(infos, func(x, y harness.PipelineInfo) int { return rank(x) - rank(y) })
	costs := map[string]cost{}
	for range warmRounds {
		for _, reference := range infos[:2] {
			r.costOf(b, reference)
		}
	}
	for _, info := range infos {
		b.Run(info.Name, func(b *testing.B) {
			var all []cost
			for b.Loop() {
				all = append(all, r.costOf(b, info))
			}
			c := medianCost(all)
			costs[info.Name] = c
			reference := costs[referenceWorker]
			if info.ProducerOnly {
				reference = costs[referenceProducer]
			}
			b.ReportMetric(c.rate, "records/s")
			if reference.rate > 0 { // it isn't where only one pipeline was asked for
				b.ReportMetric(c.rate/reference.rate, "ratio")
			}
			b.ReportMetric(float64(c.p50)/1e6, "ms-p50")
			b.ReportMetric(float64(c.p99)/1e6, "ms-p99")
			b.ReportMetric(0, "ns/op") // says nothing: fixed times
		})
	}
}

func backlogOf(p harness.PipelineInfo) int {
	if p.ProducerOnly {
		return producerBacklog
	}
	return backlog
}

// rank puts what others are compared with first.
func rank(p harness.PipelineInfo) int {
	if p.Name == referenceWorker || p.Name == referenceProducer {
		return 0
	}
	return 1
}

func medianCost(all []cost) cost {
	var rates, p50s, p99s []float64
	for _, c := range all {
		rates, p50s, p99s = append(rates, c.rate), append(p50s, float64(c.p50)), append(p99s, float64(c.p99))
	}
	return cost{rate: median(rates), p50: time.Duration(median(p50s)), p99: time.Duration(median(p99s))}
}

// costOf runs one pipeline on topics of its own.
func (r *rig) costOf(b *testing.B, info harness.PipelineInfo) cost {
	ctx, cancel := context.WithTimeout(b.Context(), pipelineWithin)
	defer cancel()
	r.legs++
	plan := harness.TopicPlan{Input: fmt.Sprintf("pipe-%d", r.legs), Partitions: partitions, MinISR: 2}
	layout := harness.LayOut(plan.Input, info, 1, 1)
	plan.Pipelines = append(plan.Pipelines, layout)
	topics := append([]string{plan.Input}, plan.Outputs()...)
	configs := map[string]*string{"file.delete.delay.ms": kadm.StringPtr("0"), "min.insync.replicas": kadm.StringPtr("2")}
	for _, topic := range topics {
		_, err := r.admin.CreateTopic(ctx, partitions, 3, configs, topic)
		require.NoError(b, err)
		r.awaitWhole(ctx, b, topic, partitions)
	}
	shared := harness.DefaultShared()
	shared.Work = 0
	dir := b.TempDir()
	fleet, err := workloads.NewFleet(harness.FleetSpec{
		Command: []string{os.Args[0]}, Dir: dir, RunID: benchRun, Cluster: r.cluster, Plan: plan,
		Experiment: harness.Experiment{
			Workers: 1, Shared: shared, Load: harness.Load{Rate: steadyRate, RecordSize: 100, Burst: backlogOf(info), BurstEvery: steadyFor},
		},
	})
	require.NoError(b, err)
	defer func() {
		require.NoError(b, fleet.Close(context.WithoutCancel(ctx)))
		if layout.Effects { // a cluster usually has one fleet, and goes with it
			link, err := toxiproxy.NewClient(r.cluster.Info().ToxiproxyAPI).Proxy(harness.ServiceProxy)
			require.NoError(b, err)
			require.NoError(b, link.Delete())
		}
		_, err := r.admin.DeleteTopics(context.WithoutCancel(ctx), topics...)
		require.NoError(b, err)
	}()
	require.NoError(b, fleet.Start(ctx))
	d := r.follow(ctx, b, layout, dir)
	defer d.close()
	require.NoError(b, fleet.Feed(ctx))
	require.NoError(b, wait.Poll(ctx, 10*time.Millisecond, func() (bool, error) { return d.done() }))
	require.Empty(b, fleet.Incidents())
	return d.cost(b)
}
