package containers

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/clusters/local"
	"github.com/chaeos/chaeos/harness"
)

// BenchmarkContainersReady reports the time from Start to ready on processes and in containers, images and caches warm, and their
// ratio: at most 1.5. The two alternate, so that a machine that slows down slows both.
func BenchmarkContainersReady(b *testing.B) {
	providers := map[string]harness.Provider{local.Name: local.New(cacheDir(), []string{binary, "keeper"}), Name: testProvider()}
	took := map[string]time.Duration{}
	round := func(count bool) {
		for name, p := range providers {
			spec := testSpec
			spec.LogDir = b.TempDir()
			begin := time.Now()
			c, err := p.Start(within(b, 2*time.Minute), spec)
			require.NoError(b, err)
			if count {
				took[name] += time.Since(begin)
			}
			require.NoError(b, c.Close(within(b, time.Minute)))
		}
	}
	round(false) // fills the caches
	for b.Loop() {
		round(true)
	}
	b.ReportMetric(took[local.Name].Seconds()/float64(b.N), "s/local")
	b.ReportMetric(took[Name].Seconds()/float64(b.N), "s/containers")
	b.ReportMetric(took[Name].Seconds()/took[local.Name].Seconds(), "ratio")
}

// What one round of BenchmarkContainersThroughput sends.
const (
	benchRecords    = 40_000
	benchRecordSize = 1024
)

// BenchmarkContainersThroughput reports what a bare producer (acks=all, three replicas) gets through its own links: through the
// proxy container, through the proxies in the keeper, and the ratio of the two.
func BenchmarkContainersThroughput(b *testing.B) {
	producers, took := map[string]*kgo.Client{}, map[string]time.Duration{}
	for name, p := range map[string]harness.Provider{local.Name: local.New(cacheDir(), []string{binary, "keeper"}), Name: testProvider()} {
		spec := testSpec
		spec.LogDir = b.TempDir()
		c, err := p.Start(within(b, 2*time.Minute), spec)
		require.NoError(b, err)
		b.Cleanup(func() { require.NoError(b, c.Close(within(b, time.Minute))) })
		producers[name] = benchProducer(b, c)
		send(b, producers[name]) // warms both ends
	}
	for b.Loop() {
		for name, producer := range producers {
			took[name] += send(b, producer)
		}
	}
	rate := func(name string) float64 {
		return float64(b.N) * benchRecords * benchRecordSize / 1e6 / took[name].Seconds()
	}
	b.ReportMetric(rate(local.Name), "MB/s-local")
	b.ReportMetric(rate(Name), "MB/s-containers")
	b.ReportMetric(rate(Name)/rate(local.Name), "ratio")
}

func benchProducer(b *testing.B, c harness.Cluster) *kgo.Client {
	b.Helper()
	dials, err := c.ClientLinks(context.Background(), "bench")
	require.NoError(b, err)
	admin, err := harness.DirectClient(c, "bench-admin")
	require.NoError(b, err)
	defer admin.Close()
	_, err = kadm.NewClient(admin).CreateTopic(within(b, 30*time.Second), 3, 3, nil, "bench")
	require.NoError(b, err)
	producer, err := kgo.NewClient(kgo.SeedBrokers(c.Info().Bootstrap...), harness.Via(dials), kgo.DefaultProduceTopic("bench"),
		kgo.MetadataMinAge(100*time.Millisecond))
	require.NoError(b, err)
	b.Cleanup(producer.Close)
	return producer
}

// send produces one round of records that don't compress, and waits until all are acknowledged.
func send(b *testing.B, producer *kgo.Client) time.Duration {
	b.Helper()
	noise := make([]byte, 2*benchRecordSize)
	_, _ = rand.Read(noise)
	begin := time.Now()
	for i := range benchRecords {
		offset := i % benchRecordSize
		producer.Produce(context.Background(), &kgo.Record{Value: noise[offset : offset+benchRecordSize]}, nil)
	}
	require.NoError(b, producer.Flush(within(b, 2*time.Minute)))
	return time.Since(begin)
}
