package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/clusters/local"
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/procs"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/workloads/protocol"
)

const (
	partitions = 3
	// legWithin bounds one leg, which takes a few seconds.
	legWithin = 2 * time.Minute
)

// BenchmarkSource reports how fast an unthrottled source is against a bare producer with the same client settings, each
// a process of its own behind its own links: the median ratio of all pairs with its 95 % interval, and both medians.
// A leg lasts from the word to begin until everything is acknowledged, recorded and closed. One operation is a pair, and
// who comes first changes from pair to pair.
func BenchmarkSource(b *testing.B) {
	r := newRig(b)
	for _, c := range []struct {
		size  int
		count uint64
	}{{100, 1_500_000}, {1024, 250_000}} {
		b.Run(fmt.Sprintf("%dB", c.size), func(b *testing.B) {
			r.measure(b, c.size, c.count)
		})
	}
}

// rig is a cluster and what administers it past the proxies.
type rig struct {
	cluster harness.Cluster
	client  *kgo.Client
	admin   *kadm.Client
	legs    int
}

func newRig(b *testing.B) *rig {
	p := local.New(local.DefaultCache(), []string{os.Args[0], keeperPart})
	cluster, err := p.Start(b.Context(), harness.ClusterSpec{LogDir: b.TempDir()})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, cluster.Close(context.Background())) })
	client, err := harness.DirectClient(cluster, "bench")
	require.NoError(b, err)
	b.Cleanup(client.Close)
	return &rig{cluster: cluster, client: client, admin: kadm.NewClient(client)}
}

// measure runs pairs of legs, after one that only warms the brokers up.
func (r *rig) measure(b *testing.B, size int, count uint64) {
	sides := []string{sourcePart, barePart}
	for _, side := range sides {
		r.leg(b, side, size, count)
	}
	rates := map[string][]float64{}
	var ratios []float64
	for b.Loop() {
		for _, side := range sides {
			rates[side] = append(rates[side], r.leg(b, side, size, count))
		}
		slices.Reverse(sides)
		i := len(ratios)
		ratios = append(ratios, rates[sourcePart][i]/rates[barePart][i])
	}
	b.ReportMetric(median(ratios), "ratio")
	low, high := around(ratios)
	b.ReportMetric(low, "ratio-low")
	b.ReportMetric(high, "ratio-high")
	b.ReportMetric(median(rates[sourcePart]), "source-records/s")
	b.ReportMetric(median(rates[barePart]), "bare-records/s")
	b.ReportMetric(0, "ns/op") // says nothing: a pair and its topics
}

func median(of []float64) float64 {
	sorted := slices.Sorted(slices.Values(of))
	middle := len(sorted) / 2
	return (sorted[(len(sorted)-1)/2] + sorted[middle]) / 2
}

// around returns the interval that holds the true median in at least 95 of 100 runs, by the sign test: single legs differ
// by half, and a median without it would look surer than it is.
func around(of []float64) (low, high float64) {
	sorted := slices.Sorted(slices.Values(of))
	n := float64(len(sorted))
	outside := max(0, int((n-1.96*math.Sqrt(n))/2)-1) // on either side
	return sorted[outside], sorted[len(sorted)-1-outside]
}

// leg sends count records over the side's own links.
func (r *rig) leg(b *testing.B, side string, size int, count uint64) float64 {
	return r.legOver(b, side, side, size, count)
}

// legOver sends count records to a topic of its own over the named links, and returns records a second.
func (r *rig) legOver(b *testing.B, links, side string, size int, count uint64) float64 {
	ctx, cancel := context.WithTimeout(b.Context(), legWithin)
	defer cancel()
	topic := r.makeTopic(ctx, b)
	dials, err := r.cluster.ClientLinks(ctx, links)
	require.NoError(b, err)
	s := protocol.Spec{
		Name: side, Role: "source", Run: benchRun, History: filepath.Join(b.TempDir(), topic+".hist"),
		Bootstrap: r.cluster.Info().Bootstrap, Dials: dials, Output: topic, Partitions: partitions, Count: count,
		Shared: harness.DefaultShared(), Load: harness.Load{RecordSize: size}, // no rate: as fast as it can
	}
	took := run(ctx, b, side, s)
	ends, err := r.admin.ListEndOffsets(ctx, topic)
	require.NoError(b, err)
	var stored uint64
	ends.Each(func(o kadm.ListedOffset) { stored += uint64(o.Offset) })
	require.Equal(b, count, stored, "%s: records in the log", side)
	if side == sourcePart {
		require.Equal(b, count, acked(b, s.History), "acknowledged, as the history says")
	}
	_, err = r.admin.DeleteTopic(ctx, topic)
	require.NoError(b, err)
	return float64(count) / took.Seconds()
}

// makeTopic makes a leg's topic and returns once every broker knows it as whole.
func (r *rig) makeTopic(ctx context.Context, b *testing.B) string {
	r.legs++
	topic := fmt.Sprintf("leg-%d", r.legs)
	// Deleted files go at once, so that the page cache holds the running leg only.
	configs := map[string]*string{"file.delete.delay.ms": kadm.StringPtr("0"), "min.insync.replicas": kadm.StringPtr("2")}
	_, err := r.admin.CreateTopic(ctx, partitions, 3, configs, topic)
	require.NoError(b, err)
	r.awaitWhole(ctx, b, topic, partitions)
	return topic
}

// awaitWhole returns once every broker knows a topic with all its partitions and replicas.
func (r *rig) awaitWhole(ctx context.Context, b *testing.B, topic string, partitions int) {
	whole := func() (bool, error) {
		for _, node := range r.cluster.Info().Nodes {
			md, err := ask.Of(r.client, node).Metadata(ctx, topic)
			if err != nil {
				return false, err
			}
			if len(md.Topics[topic]) < partitions {
				return false, nil
			}
			for _, p := range md.Topics[topic] {
				if !p.InSync() {
					return false, nil
				}
			}
		}
		return true, nil
	}
	require.NoError(b, wait.Poll(ctx, 50*time.Millisecond, whole))
}

// run plays one side as a process and returns the time from the word to begin to its last word.
func run(ctx context.Context, b *testing.B, side string, s protocol.Spec) time.Duration {
	childIn, in, err := os.Pipe()
	require.NoError(b, err)
	defer in.Close() // at its end of file a process ends
	out, childOut, err := os.Pipe()
	require.NoError(b, err)
	defer out.Close()
	cmd := exec.Command(os.Args[0], side)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = childIn, childOut, os.Stderr
	p, err := procs.Start(cmd)
	require.NoError(b, err)
	defer func() { _ = p.Kill() }()
	childIn.Close()
	childOut.Close()

	commands, events := json.NewEncoder(in), json.NewDecoder(out)
	require.NoError(b, commands.Encode(s))
	until(b, events, "ready")
	begin := time.Now()
	require.NoError(b, commands.Encode(line{ID: 1, Do: "feed"}))
	until(b, events, "done")
	took := time.Since(begin)
	require.NoError(b, p.Wait(ctx))
	return took
}

// until reads a process's events up to the one that is waited for.
func until(b *testing.B, events *json.Decoder, want string) {
	for e := (line{}); e.Event != want; {
		e = line{}
		require.NoError(b, events.Decode(&e), "waiting for %s", want)
		require.Empty(b, e.Error)
	}
}

// acked counts the acknowledgements in a history.
func acked(b *testing.B, path string) (n uint64) {
	tail, err := history.ReadFile(path, func(e history.Entry) error {
		if a, ok := e.(*history.Acked); ok {
			for _, r := range a.Spans {
				n += r.Count
			}
		}
		return nil
	})
	require.NoError(b, err)
	require.True(b, tail.Whole())
	return n
}
