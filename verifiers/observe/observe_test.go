package observe

import (
	"context"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/verifiers/internal/fakecluster"
)

const (
	runID = history.RunID(77)
	parts = 3
)

var plan = harness.TopicPlan{Input: "in", Partitions: parts, Pipelines: []harness.PipelineLayout{
	{PipelineInfo: harness.PipelineInfo{Name: "src", ProducerOnly: true}, Source: 1, Output: "out-src"},
	{PipelineInfo: harness.PipelineInfo{Name: "txn", Transactional: true}, Output: "out-txn", Group: "g"},
}}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func start(t *testing.T, c *fakecluster.Cluster) (*Observer, string) {
	t.Helper()
	dir := t.TempDir()
	o := New(harness.ObserverSpec{Dir: dir, RunID: runID, Cluster: c, Plan: plan})
	require.NoError(t, o.Start(within(t)))
	return o, dir
}

func entries(t *testing.T, dir, file string) (all []history.Entry) {
	t.Helper()
	tail, err := history.ReadFile(filepath.Join(dir, file), func(e history.Entry) error { all = append(all, e); return nil })
	require.NoError(t, err)
	require.True(t, tail.Whole())
	return all
}

// written is what the sampler has written so far.
func written(t *testing.T, dir string) (all []history.Entry) {
	t.Helper()
	_, err := history.ReadFile(filepath.Join(dir, SamplesFile), func(e history.Entry) error { all = append(all, e); return nil })
	require.NoError(t, err)
	return all
}

func produced(p int32, offset int64) *kgo.Record {
	return &kgo.Record{Topic: "out-txn", Partition: p, Value: history.AppendOutput(nil, history.Output{
		Input: history.Input{Run: runID, Identity: history.Identity{Sequence: uint64(offset)}, Scheduled: history.Now().Add(-time.Second)}, Origin: history.Origin{Partition: p, Offset: offset},
	}, 0)}
}

// TestLive: distinct inputs are counted once, aborted ones never, and latencies run from the scheduled time.
func TestLive(t *testing.T) {
	c := fakecluster.New(t, parts, "in", "out-src", "out-txn")
	o, dir := start(t, c)
	ctx := within(t)
	client := c.Client(t, "writer", kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.TransactionalID("t-0"))
	for n, end := range []kgo.TransactionEndTry{kgo.TryCommit, kgo.TryAbort} {
		require.NoError(t, client.BeginTransaction())
		for i := range int64(10) {
			require.NoError(t, client.ProduceSync(ctx, produced(1, int64(10*n)+i), produced(1, int64(10*n)+i)).FirstErr())
		}
		require.NoError(t, client.EndTransaction(ctx, end))
	}
	plain := c.Client(t, "source", kgo.RecordPartitioner(kgo.ManualPartitioner()))
	for seq := range uint64(6) {
		in := history.Input{Run: runID, Identity: history.Identity{Source: 1, Sequence: seq}, Scheduled: history.Now()}
		require.NoError(t, plain.ProduceSync(ctx, &kgo.Record{Topic: "out-src", Partition: int32(seq % parts), Value: history.AppendInput(nil, in, 0)}).FirstErr())
	}
	require.NoError(t, wait.Poll(ctx, 10*time.Millisecond, func() (bool, error) { return o.Visible("txn") >= 10 && o.Visible("src") >= 6, o.Failed() }))
	require.NoError(t, o.Stop(ctx))
	require.EqualValues(t, 10, o.Visible("txn"))
	require.EqualValues(t, 10, o.VisibleIn("txn", 1))
	require.Zero(t, o.VisibleIn("txn", 0))
	require.EqualValues(t, 2, o.VisibleIn("src", 2))
	require.Zero(t, o.Visible("nosuch"))

	var delivered, fresh uint64
	latency := map[string]*history.Latency{}
	for _, e := range entries(t, dir, LiveFile) {
		switch e := e.(type) {
		case *history.DeliveredLive:
			if e.Topic == "out-txn" {
				delivered, fresh = delivered+e.Count, fresh+e.New
			}
		case *history.Latency:
			latency[e.Pipeline] = e
		}
	}
	require.EqualValues(t, 20, delivered)
	require.EqualValues(t, 10, fresh)
	h, err := hdrhistogram.Decode(latency["txn"].HDR)
	require.NoError(t, err)
	require.EqualValues(t, 10, h.TotalCount())
	require.Greater(t, h.Min(), int64(900*time.Millisecond))
	for _, rec := range o.Histories() {
		require.Positive(t, rec.Bytes)
		require.Equal(t, "harness", rec.Role)
	}
}

// TestSamplerNamesTheTransactionAtTheLSO: an open transaction holds the last stable offset back, and the probe names it.
func TestSamplerNamesTheTransactionAtTheLSO(t *testing.T) {
	c := fakecluster.New(t, parts, "in", "out-src", "out-txn")
	o, dir := start(t, c)
	ctx := within(t)
	client := c.Client(t, "writer", kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.TransactionalID("t-0"))
	require.NoError(t, client.BeginTransaction())
	require.NoError(t, client.ProduceSync(ctx, produced(2, 0), produced(2, 1)).FirstErr())
	require.NoError(t, wait.Poll(ctx, 10*time.Millisecond, func() (bool, error) { return o.LargestLag("txn") == 2, nil }))
	require.Zero(t, o.LargestLag("src"))
	require.NoError(t, wait.Poll(ctx, 50*time.Millisecond, func() (bool, error) {
		return slices.ContainsFunc(written(t, dir), func(e history.Entry) bool { _, named := e.(*history.TransactionAtLSO); return named }), nil
	}))
	require.NoError(t, o.Stop(ctx))
	var named []*history.TransactionAtLSO
	samples := map[string]int{}
	for _, e := range entries(t, dir, SamplesFile) {
		switch e := e.(type) {
		case *history.TransactionAtLSO:
			named = append(named, e)
		case *history.Sample:
			if e.Broker >= 0 {
				samples[e.Topic]++
			}
		}
	}
	require.NotEmpty(t, named)
	require.Equal(t, "t-0", named[0].TransactionalID)
	require.Equal(t, ask.Ongoing, named[0].State)
	require.EqualValues(t, 2, named[0].Partition)
	require.EqualValues(t, 0, named[0].LSO)
	for _, topic := range []string{"in", "out-src", "out-txn"} {
		require.Greater(t, samples[topic], 3*5, topic)
	}
}

// TestFencedBrokerIsStillSampled: a broker that metadata no longer lists still says what it believes to lead.
func TestFencedBrokerIsStillSampled(t *testing.T) {
	c := fakecluster.New(t, parts, "in", "out-src", "out-txn")
	fenced := c.Fake.LeaderFor("out-txn", 0)
	o, dir := start(t, c)
	asked := fence(t, c, fenced)
	require.NoError(t, wait.Poll(within(t), 10*time.Millisecond, func() (bool, error) { return asked.Load() >= 2, nil }))
	before, _ := answers(written(t, dir))
	require.NoError(t, wait.Poll(within(t), 50*time.Millisecond, func() (bool, error) {
		now, _ := answers(written(t, dir))
		return now[0] >= before[0]+5, nil
	}))
	require.NoError(t, o.Stop(within(t)))
}

// TestFencedBrokersViewIsStillRecorded: what a broker that metadata no longer lists believes of leaders and replicas.
func TestFencedBrokersViewIsStillRecorded(t *testing.T) {
	c := fakecluster.New(t, parts, "in", "out-src", "out-txn")
	fenced := c.Fake.LeaderFor("out-txn", 0)
	o, dir := start(t, c)
	asked := fence(t, c, fenced)
	require.NoError(t, wait.Poll(within(t), 10*time.Millisecond, func() (bool, error) { return asked.Load() >= 2, nil }))
	asked.Store(shrunk)
	require.NoError(t, wait.Poll(within(t), 20*time.Millisecond, func() (bool, error) {
		return slices.ContainsFunc(written(t, dir), func(e history.Entry) bool {
			r, ok := e.(*history.Replicas)
			return ok && r.Broker == fenced && slices.Equal(r.ISR, []int32{fenced}) && r.Leader == fenced
		}), nil
	}))
	require.NoError(t, o.Stop(within(t)))
}

// shrunk is the count from which a fenced broker claims that it alone is in sync.
const shrunk = 1000

// fence takes a broker out of what every broker's metadata lists, and returns how often metadata was asked for since. The
// broker itself believes to lead every partition, from shrunk on with no other in sync.
func fence(t *testing.T, c *fakecluster.Cluster, fenced int32) *atomic.Int64 {
	asked := &atomic.Int64{}
	c.Fake.ControlKey(int16(kmsg.Metadata), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		c.Fake.KeepControl()
		req := kreq.(*kmsg.MetadataRequest)
		resp := kreq.ResponseKind().(*kmsg.MetadataResponse)
		asked.Add(1)
		for _, of := range req.Topics {
			topic := kmsg.NewMetadataResponseTopic()
			topic.Topic = of.Topic
			for p := range int32(parts) {
				part := kmsg.NewMetadataResponseTopicPartition()
				part.Partition, part.Leader, part.LeaderEpoch, part.ISR = p, (fenced+1)%fakecluster.Nodes, 1, []int32{0, 1, 2}
				if c.Fake.CurrentNode() == fenced {
					part.Leader, part.LeaderEpoch = fenced, 0
					if asked.Load() >= shrunk {
						part.ISR = []int32{fenced}
					}
				}
				topic.Partitions = append(topic.Partitions, part)
			}
			resp.Topics = append(resp.Topics, topic)
		}
		for node, addr := range c.Fake.ListenAddrs() {
			host, port, err := net.SplitHostPort(addr)
			require.NoError(t, err)
			number, err := strconv.Atoi(port)
			require.NoError(t, err)
			if b := kmsg.NewMetadataResponseBroker(); int32(node) != fenced {
				b.NodeID, b.Host, b.Port = int32(node), host, int32(number)
				resp.Brokers = append(resp.Brokers, b)
			}
		}
		return resp, nil, true
	})
	return asked
}

// TestLogEndAboveTheWatermark: what a leader has stored beyond the high watermark is written, once.
func TestLogEndAboveTheWatermark(t *testing.T) {
	c := fakecluster.New(t, parts, "in", "out-src", "out-txn")
	c.Fake.ControlKey(int16(kmsg.ListOffsets), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		c.Fake.KeepControl()
		req := kreq.(*kmsg.ListOffsetsRequest)
		if req.ReplicaID != -2 {
			return nil, nil, false
		}
		resp := req.ResponseKind().(*kmsg.ListOffsetsResponse)
		for _, t := range req.Topics {
			topic := kmsg.NewListOffsetsResponseTopic()
			topic.Topic = t.Topic
			for _, p := range t.Partitions {
				part := kmsg.NewListOffsetsResponseTopicPartition()
				part.Partition, part.Offset, part.LeaderEpoch = p.Partition, 7, c.Fake.PartitionInfo(t.Topic, p.Partition).Epoch
				topic.Partitions = append(topic.Partitions, part)
			}
			resp.Topics = append(resp.Topics, topic)
		}
		return resp, nil, true
	})
	o, dir := start(t, c)
	require.NoError(t, wait.Poll(within(t), 50*time.Millisecond, func() (bool, error) {
		answered, _ := answers(written(t, dir))
		return answered[0] >= 5 && answered[1] >= 5 && answered[2] >= 5, nil
	}))
	require.NoError(t, o.Stop(within(t)))
	ends := map[string]int{}
	for _, e := range entries(t, dir, SamplesFile) {
		if e, ok := e.(*history.LogEnd); ok {
			require.EqualValues(t, 7, e.End)
			ends[e.Topic]++
		}
	}
	require.Equal(t, map[string]int{"in": parts, "out-src": parts, "out-txn": parts}, ends)
}

// TestSilentBrokerHoldsUpNoOther: one broker never answers ListOffsets. The partitions of the others are sampled at pace,
// and its own are recorded as without a leader.
func TestSilentBrokerHoldsUpNoOther(t *testing.T) {
	c := fakecluster.New(t, parts, "in", "out-src", "out-txn")
	silent := c.Fake.LeaderFor("out-txn", 0)
	require.NoError(t, c.Fake.MoveTopicPartition("out-txn", 1, (silent+1)%fakecluster.Nodes))
	c.Fake.ControlKey(int16(kmsg.ListOffsets), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.Fake.KeepControl()
		if c.Fake.CurrentNode() == silent {
			c.Fake.SleepControl(func() { <-t.Context().Done() })
		}
		return nil, nil, false
	})
	o, dir := start(t, c)
	require.NoError(t, wait.Poll(within(t), 50*time.Millisecond, func() (bool, error) {
		answered, _ := answers(written(t, dir))
		return answered[1] >= 20, nil
	}))
	require.NoError(t, o.Stop(within(t)))
	answered, leaderless := answers(entries(t, dir, SamplesFile))
	require.Zero(t, answered[0])
	require.Greater(t, leaderless[0], 5)
}

// answers counts the samples of out-txn that a leader answered and those that no broker did, by partition.
func answers(samples []history.Entry) (answered, leaderless map[int32]int) {
	answered, leaderless = map[int32]int{}, map[int32]int{}
	for _, e := range samples {
		if s, ok := e.(*history.Sample); ok && s.Topic == "out-txn" {
			if s.Broker < 0 {
				leaderless[s.Partition]++
			} else {
				answered[s.Partition]++
			}
		}
	}
	return answered, leaderless
}
