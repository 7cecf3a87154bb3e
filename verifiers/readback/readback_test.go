package readback

import (
	"context"
	"encoding/binary"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"pgregory.net/rapid"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/internal/fakecluster"
	"github.com/chaeos/chaeos/verifiers/observation"
)

const (
	runID = history.RunID(77)
	parts = 2
)

var plan = harness.TopicPlan{Input: "in", Partitions: parts, Pipelines: []harness.PipelineLayout{
	{PipelineInfo: harness.PipelineInfo{Name: "t", Transactional: true}, Output: "out", Group: "g"},
}}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func input(p int32, seq uint64) *kgo.Record {
	return &kgo.Record{Topic: "in", Partition: p, Value: history.AppendInput(nil, history.Input{Run: runID, Identity: history.Identity{Sequence: seq}, Scheduled: 5}, 100)}
}

func output(p int32, offset int64, txn uint64) *kgo.Record {
	return &kgo.Record{Topic: "out", Partition: p, Value: history.AppendOutput(nil, history.Output{
		Input: history.Input{Run: runID, Identity: history.Identity{Sequence: uint64(offset)}}, Origin: history.Origin{Partition: p, Offset: offset, Worker: 1, Incarnation: 2, Processing: 3, Txn: txn},
	}, 100)}
}

func brokersOf(c *fakecluster.Cluster, client *kgo.Client) ask.Brokers {
	return ask.Of(client, c.Info().Nodes...)
}

// TestWhatIsLeftOutIsNotSettled: a broker that leaves a partition out of its answer has not said that nothing is under way.
func TestWhatIsLeftOutIsNotSettled(t *testing.T) {
	c := fakecluster.New(t, parts, "in", "out")
	c.Fake.ControlKey(int16(kmsg.ListOffsets), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.Fake.KeepControl()
		return req.ResponseKind(), nil, true
	})
	settled, why, err := Settled(within(t), brokersOf(c, c.Client(t, "settle")), plan)
	require.ErrorContains(t, err, "its answer leaves this out")
	require.False(t, settled)
	require.NotEmpty(t, why)
}

// fill writes inputs with every compression, and outputs of committed and aborted transactions; it returns the
// transactional client.
func fill(t *testing.T, c *fakecluster.Cluster) *kgo.Client {
	ctx := within(t)
	seq := uint64(0)
	for _, codec := range []kgo.CompressionCodec{kgo.NoCompression(), kgo.SnappyCompression(), kgo.GzipCompression(), kgo.Lz4Compression(), kgo.ZstdCompression()} {
		client := c.Client(t, "source", kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerBatchCompression(codec))
		for range 20 {
			require.NoError(t, client.ProduceSync(ctx, input(int32(seq%parts), seq)).FirstErr())
			seq++
		}
	}
	txns := c.Client(t, "worker", kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.TransactionalID("t-0"), kgo.TransactionTimeout(10*time.Minute))
	for n, end := range []kgo.TransactionEndTry{kgo.TryCommit, kgo.TryAbort, kgo.TryCommit} {
		require.NoError(t, txns.BeginTransaction())
		for p := range int32(parts) {
			for i := range 5 {
				require.NoError(t, txns.ProduceSync(ctx, output(p, int64(5*n+i), uint64(n+1))).FirstErr())
			}
		}
		require.NoError(t, txns.EndTransaction(ctx, end))
	}
	return txns
}

func run(t *testing.T, c *fakecluster.Cluster) (string, *observation.Index) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, Run(within(t), harness.ReadBackSpec{Dir: dir, RunID: runID, Cluster: c, Plan: plan}))
	index, err := observation.LoadIndex(dir)
	require.NoError(t, err)
	require.True(t, index.Finished)
	require.Empty(t, index.Failures)
	return dir, index
}

func records(t *testing.T, dir, topic string, p int32) (all []observation.Record, batches []observation.Batch) {
	t.Helper()
	_, tail, err := observation.ReadFile(observation.File(dir, topic, p), false, func(b *observation.Batch) error {
		all = append(all, b.Records...)
		batches = append(batches, *b)
		return nil
	})
	require.NoError(t, err)
	require.True(t, tail.Ended)
	return all, batches
}

func TestRun(t *testing.T) {
	c := fakecluster.New(t, parts, "in", "out")
	fill(t, c)
	var offsets kadm.Offsets
	offsets.AddOffset("in", 0, 50, -1)
	_, err := kadm.NewClient(c.Client(t, "admin")).CommitOffsets(within(t), "g", offsets)
	require.NoError(t, err)

	dir, index := run(t, c)
	require.Len(t, index.Partitions, 2*parts)
	for p := range int32(parts) {
		in := index.Partition("in", p)
		require.True(t, in.Complete, in.Failure)
		require.EqualValues(t, 50, in.HW)
		require.EqualValues(t, 50, in.Committed.Count)
		require.Equal(t, in.Committed, in.Client)
		recs, _ := records(t, dir, "in", p)
		for i, r := range recs {
			require.Equal(t, observation.Record{Offset: int64(i), Identity: history.Identity{Sequence: uint64(parts*i) + uint64(p)}, Scheduled: 5}, r)
		}

		out := index.Partition("out", p)
		require.True(t, out.Complete, out.Failure)
		require.EqualValues(t, 18, out.HW, "15 records and 3 markers")
		require.EqualValues(t, 10, out.Committed.Count)
		require.Equal(t, out.Committed, out.Client)
		require.Empty(t, out.ClientErr)
		require.Len(t, out.Aborted, 1)
		require.EqualValues(t, 6, out.Aborted[0].First)
		require.EqualValues(t, 11, out.Aborted[0].Last)
		require.Len(t, out.BrokerAborted, 1)
		require.Equal(t, out.Aborted[0].First, out.BrokerAborted[0].First)
		require.Equal(t, out.HW, out.HWAfter)
		require.Empty(t, out.Open)
		recs, batches := records(t, dir, "out", p)
		require.Len(t, recs, 15)
		require.Equal(t, history.Origin{Partition: p, Offset: 14, Worker: 1, Incarnation: 2, Processing: 3, Txn: 3}, recs[14].Origin)
		last := batches[len(batches)-1]
		require.True(t, last.Control)
		require.Equal(t, observation.MarkerCommit, last.Marker)
		require.GreaterOrEqual(t, last.CoordinatorEpoch, int32(0))
		require.Greater(t, batches[0].Bytes, int32(len("a record of 100 bytes")))
	}
	require.Equal(t, []observation.Position{{Group: "g", Topic: "in", Partition: 0, Offset: 50}, {Group: "g", Topic: "in", Partition: 1, Offset: -1}}, index.Positions)
}

func TestOpenTransactionIsNamed(t *testing.T) {
	c := fakecluster.New(t, parts, "in", "out")
	txns := fill(t, c)
	ctx := within(t)
	client := c.Client(t, "settle")
	settled, why, err := Settled(ctx, brokersOf(c, client), plan)
	require.NoError(t, err)
	require.True(t, settled, why)

	require.NoError(t, txns.BeginTransaction())
	require.NoError(t, txns.ProduceSync(ctx, output(1, 15, 4)).FirstErr())
	settled, why, err = Settled(ctx, brokersOf(c, client), plan)
	require.NoError(t, err)
	require.False(t, settled)
	require.Equal(t, "out/1: last stable offset 18, high watermark 19", why)

	_, index := run(t, c)
	out := index.Partition("out", 1)
	require.True(t, out.Complete)
	require.EqualValues(t, 18, out.LSO)
	require.EqualValues(t, 19, out.HW)
	require.EqualValues(t, 10, out.Client.Count)
	require.Equal(t, out.Committed, out.Client)
	require.Len(t, out.Open, 1)
	require.Equal(t, "t-0", out.Open[0].TransactionalID)
	require.EqualValues(t, 18, out.Open[0].Start)
}

func TestForeignAndCorruptRecords(t *testing.T) {
	c := fakecluster.New(t, parts, "in", "out")
	client := c.Client(t, "somebody", kgo.RecordPartitioner(kgo.ManualPartitioner()))
	broken := output(0, 3, 1)
	broken.Value[90] ^= 1
	other := &kgo.Record{Topic: "out", Partition: 0, Value: history.AppendInput(nil, history.Input{Run: 1}, 100)}
	require.NoError(t, client.ProduceSync(within(t), broken, other, &kgo.Record{Topic: "out", Partition: 0}, output(0, 4, 0)).FirstErr())
	dir, _ := run(t, c)
	recs, _ := records(t, dir, "out", 0)
	var status []observation.Status
	for _, r := range recs {
		status = append(status, r.Status)
	}
	require.Equal(t, []observation.Status{observation.Corrupt, observation.Foreign, observation.Foreign, observation.Output}, status)
}

func TestMovedLeaderIsFollowed(t *testing.T) {
	c := fakecluster.New(t, parts, "in", "out")
	fill(t, c)
	moved := false
	c.Fake.ControlKey(int16(kmsg.Fetch), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.Fake.KeepControl()
		if !moved {
			moved = true
			go c.Fake.ShufflePartitionLeaders()
		}
		return nil, nil, false
	})
	_, index := run(t, c)
	for _, p := range index.Partitions {
		require.True(t, p.Complete, p.Failure)
	}
}

// TestCutConnectionsAreDialledAgain: what was read before a connection went is neither read twice nor missed.
func TestCutConnectionsAreDialledAgain(t *testing.T) {
	c := fakecluster.New(t, parts, "in", "out")
	fill(t, c)
	_, whole := run(t, c)
	var cuts, asked atomic.Int32
	c.Fake.ControlKey(int16(kmsg.Fetch), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.Fake.KeepControl()
		if asked.Add(1)%3 == 1 && cuts.Add(1) <= 4 {
			return nil, errors.New("cut"), true
		}
		return nil, nil, false
	})
	_, index := run(t, c)
	require.GreaterOrEqual(t, cuts.Load(), int32(2))
	for i, p := range index.Partitions {
		require.True(t, p.Complete, p.Failure)
		require.Equal(t, whole.Partitions[i].Records, p.Records)
		require.Equal(t, whole.Partitions[i].Committed, p.Committed)
		require.Equal(t, p.Committed, p.Client)
	}
}

// TestBehind: a fetch goes on where the walker will have come to.
func TestBehind(t *testing.T) {
	raw := append(rawBatch(7), rawBatch(8)...)
	for cut := range len(raw) + 1 {
		w := walker{next: 7, end: 100, take: func(*observation.Batch) error { return nil }}
		require.NoError(t, w.walk(raw[:cut]))
		next, err := behind(raw[:cut], 7)
		require.Equal(t, w.next, next, cut)
		if next == 7 {
			require.ErrorIs(t, err, errNothing)
		} else {
			require.NoError(t, err)
		}
	}
	next, err := behind(raw, 9)
	require.ErrorIs(t, err, errNothing, "batches from before")
	require.EqualValues(t, 9, next)
	binary.BigEndian.PutUint32(raw[8:], 3) // the length
	_, err = behind(raw, 7)
	require.ErrorIs(t, err, errBatch)
}

func TestInterruptedSaysHowFar(t *testing.T) {
	c := fakecluster.New(t, parts, "in", "out")
	fill(t, c)
	ctx, cancel := context.WithCancel(within(t))
	c.Fake.ControlKey(int16(kmsg.Fetch), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.Fake.KeepControl()
		cancel()
		return nil, nil, false
	})
	dir := t.TempDir()
	err := Run(ctx, harness.ReadBackSpec{Dir: dir, RunID: runID, Cluster: c, Plan: plan})
	require.ErrorContains(t, err, "interrupted while reading logs, ")
	index, err := observation.LoadIndex(dir)
	require.NoError(t, err)
	require.False(t, index.Finished)
	require.NotEmpty(t, index.Failures)
	require.EqualValues(t, 50, index.Partition("in", 0).HW)
}

func TestUnstableCommittedOffsetsAreRefused(t *testing.T) {
	c := fakecluster.New(t, parts, "in", "out")
	c.Fake.ControlKey(int16(kmsg.OffsetFetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.Fake.KeepControl()
		require.True(t, req.(*kmsg.OffsetFetchRequest).RequireStable)
		resp := req.ResponseKind().(*kmsg.OffsetFetchResponse)
		g := kmsg.NewOffsetFetchResponseGroup()
		g.Group = "g"
		topic := kmsg.NewOffsetFetchResponseGroupTopic()
		topic.Topic = "in"
		part := kmsg.NewOffsetFetchResponseGroupTopicPartition()
		part.ErrorCode = kerr.UnstableOffsetCommit.Code
		topic.Partitions = append(topic.Partitions, part)
		g.Topics = append(g.Topics, topic)
		resp.Groups = append(resp.Groups, g)
		return resp, nil, true
	})
	brokers := brokersOf(c, c.Client(t, "committed"))
	_, err := CommittedOffsets(within(t), brokers, plan)
	require.ErrorIs(t, err, kerr.UnstableOffsetCommit)
	settled, why, err := Settled(within(t), brokers, plan)
	require.ErrorIs(t, err, kerr.UnstableOffsetCommit)
	require.False(t, settled)
	require.Equal(t, "committed offsets are not stable", why)
}

// TestHeaderIsKmsgs: the fields are where kmsg has them.
func TestHeaderIsKmsgs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.SliceOfN(rapid.Byte(), batchHeader, batchHeader+10).Draw(t, "raw")
		var want, got kmsg.RecordBatch
		_ = want.ReadFrom(raw)
		want.Records = nil // they are read apart
		size, err := header(raw, &got)
		require.Equal(t, want, got)
		if int64(want.Length) < batchHeader-lengthFrom {
			require.ErrorIs(t, err, errBatch)
			return
		}
		require.NoError(t, err)
		require.Equal(t, int64(want.Length)+lengthFrom, size)
	})
}

func TestWalker(t *testing.T) {
	var got []observation.Batch
	w := walker{run: runID, end: 3, take: func(b *observation.Batch) error { got = append(got, *b); return nil }}
	raw := append(rawBatch(0), rawBatch(1)...)
	damaged := rawBatch(2)
	damaged[len(damaged)-5] ^= 4
	require.NoError(t, w.walk(append(raw, damaged[:20]...)), "a cut batch waits for the next fetch")
	require.EqualValues(t, 2, w.next)
	require.NoError(t, w.walk(append(rawBatch(1), damaged...)), "a batch from before is skipped")
	require.Len(t, got, 3)
	require.False(t, got[1].Damaged)
	require.True(t, got[2].Damaged)
	require.EqualValues(t, 1, got[2].Count)
	require.True(t, w.done())
}

// TestWalkerLeavesOutWhatWasDeleted: deleting records moves the log's start into the middle of a batch, and a fetch brings
// the whole batch.
func TestWalkerLeavesOutWhatWasDeleted(t *testing.T) {
	value := history.AppendInput(nil, history.Input{Run: runID}, 80)
	two := wire(kmsg.RecordBatch{
		FirstOffset: 4, LastOffsetDelta: 1, NumRecords: 2, Records: append(record(0, 0, nil, value), record(0, 1, nil, value)...),
	})
	for start, want := range map[int64][]int64{4: {4, 5}, 5: {5}} {
		var offsets, shown []int64
		w := walker{
			run: runID, start: start, next: start, end: 6, see: func(offset int64, _ []byte, _ error) { shown = append(shown, offset) },
			take: func(b *observation.Batch) error {
				require.False(t, b.Damaged)
				for _, r := range b.Records {
					offsets = append(offsets, r.Offset)
				}
				return nil
			},
		}
		require.NoError(t, w.walk(two))
		require.Equal(t, want, offsets)
		require.Equal(t, want, shown)
		require.True(t, w.done())
	}
}

func FuzzWalk(f *testing.F) {
	f.Add(append(rawBatch(0), rawBatch(1)...))
	f.Fuzz(func(t *testing.T, raw []byte) {
		w := walker{run: runID, end: 1 << 40, take: func(*observation.Batch) error { return nil }}
		_ = w.walk(raw) // must not panic
		// The same bytes under a right CRC reach the record decoder.
		if len(raw) >= batchHeader {
			b := kmsg.NewRecordBatch()
			_ = b.ReadFrom(raw)
			b.FirstOffset, b.Records = 0, raw[batchHeader:]
			raw = wire(b)
			w = walker{run: runID, end: 1 << 40, take: func(*observation.Batch) error { return nil }}
			_ = w.walk(raw)
		}
	})
}
