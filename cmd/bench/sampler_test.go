package bench

import (
	"context"
	"encoding/json"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/verifiers/observe"
)

const (
	sampledPartitions = 12
	samplerWarm       = 2 * time.Second
	samplerFor        = 15 * time.Second
)

// sampled is what the sampling process says of itself.
type sampled struct {
	// CPU is the share of one core that it used, in percent.
	CPU     float64 `json:"cpu"`
	PeakKiB int64   `json:"peakKiB"`
}

// beSampler samples the partitions of a topic, every 100 ms, for a while, in a process that does nothing else: the live
// reader next to it has no topic.
func beSampler(ctx context.Context, in io.Reader, out io.Writer) error {
	var asked reading
	if err := json.NewDecoder(in).Decode(&asked); err != nil {
		return err
	}
	o := observe.New(harness.ObserverSpec{
		Dir: asked.Dir, RunID: benchRun, Cluster: directly{asked: asked}, Plan: harness.TopicPlan{Input: asked.Topic, Partitions: sampledPartitions},
	})
	if err := o.Start(ctx); err != nil {
		return err
	}
	if err := wait.Sleep(ctx, samplerWarm); err != nil {
		return err
	}
	begin, cpu := time.Now(), cpuSeconds()
	if err := wait.Sleep(ctx, samplerFor); err != nil {
		return err
	}
	said := sampled{CPU: 100 * (cpuSeconds() - cpu) / time.Since(begin).Seconds()}
	if err := o.Stop(ctx); err != nil {
		return err
	}
	var err error
	if said.PeakKiB, err = peakMemory(); err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(said)
}

// BenchmarkSampler reports what sampling 12 partitions every 100 ms takes of one core.
func BenchmarkSampler(b *testing.B) {
	r := newRig(b)
	const topic = "sampled"
	_, err := r.admin.CreateTopic(b.Context(), sampledPartitions, 3, map[string]*string{"min.insync.replicas": kadm.StringPtr("2")}, topic)
	require.NoError(b, err)
	r.awaitWhole(b.Context(), b, topic, sampledPartitions)
	var cpu []float64
	for b.Loop() {
		var said sampled
		child(b, samplerPart, reading{Info: r.cluster.Info(), Direct: r.cluster.Direct(), Topic: topic, Dir: b.TempDir()}, &said)
		cpu = append(cpu, said.CPU)
	}
	b.ReportMetric(median(cpu), "%-of-a-core")
	b.ReportMetric(0, "ns/op") // says nothing: a fixed time
}
