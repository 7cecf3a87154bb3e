package source

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/workloads/internal/recorded"
	"github.com/chaeos/chaeos/workloads/member"
	"github.com/chaeos/chaeos/workloads/phase"
	"github.com/chaeos/chaeos/workloads/protocol"
)

func TestPaceMergesSteadyAndBursts(t *testing.T) {
	p := newPace(1000, harness.Load{Rate: 100, Burst: 3, BurstEvery: 25 * time.Millisecond})
	var due []time.Duration
	for range 12 {
		ahead := p.peek()
		at := p.next()
		require.Equal(t, ahead, at, "peek is next without taking it")
		due = append(due, at.Sub(1000)/time.Millisecond)
	}
	require.Equal(t, []time.Duration{0, 10, 20, 25, 25, 25, 30, 40, 50, 50, 50, 50}, due)
}

func TestRunsJoinAPartitionsConsecutiveRecords(t *testing.T) {
	s := outcomes{stride: 3}
	for seq := range uint64(9) {
		s.ack(int32(seq%3), seq, 100+int64(seq/3))
	}
	s.ack(0, 9, 110)  // a gap in offsets
	s.ack(0, 15, 111) // a gap in sequences
	s.ack(1, 10, -1)  // no offset known
	s.ack(1, 13, -1)
	s.resolve(resolution{reason: "lost"}, 2, 11)
	s.resolve(resolution{reason: "lost"}, 2, 14)
	require.Empty(t, s.take(false), "too little and too young")
	entries := s.take(true)
	require.Equal(t, []history.AckSpan{
		{Partition: 0, SequenceSpan: history.SequenceSpan{First: 0, Stride: 3, Count: 3}, Offset: 100},
		{Partition: 1, SequenceSpan: history.SequenceSpan{First: 1, Stride: 3, Count: 3}, Offset: 100},
		{Partition: 2, SequenceSpan: history.SequenceSpan{First: 2, Stride: 3, Count: 3}, Offset: 100},
		{Partition: 0, SequenceSpan: history.SequenceSpan{First: 9, Stride: 3, Count: 1}, Offset: 110},
		{Partition: 0, SequenceSpan: history.SequenceSpan{First: 15, Stride: 3, Count: 1}, Offset: 111},
		{Partition: 1, SequenceSpan: history.SequenceSpan{First: 10, Stride: 3, Count: 2}, Offset: -1},
	}, recorded.Of[*history.Acked](entries)[0].Spans)
	require.Equal(t, []history.SequenceSpan{{First: 11, Stride: 3, Count: 2}}, recorded.Of[*history.Resolved](entries)[0].Spans)
	require.Empty(t, s.take(true))
}

const partitions = 3

// acks1 is a producer without idempotence.
var acks1 = Config{Producer: []kgo.Opt{kgo.RequiredAcks(kgo.LeaderAck()), kgo.DisableIdempotentWrite()}}

// lonely is a source in this process, on a topic of its own.
type lonely struct {
	*source
	kfake *kfake.Cluster
	path  string
	stop  context.CancelFunc
}

func newLonely(t testing.TB, load harness.Load, count uint64, c Config, opts ...kfake.Opt) lonely {
	t.Helper()
	opts = append(opts, kfake.NumBrokers(1), kfake.SeedTopics(partitions, "in"))
	cluster, err := kfake.NewCluster(opts...)
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	dials := harness.Dials{}
	for _, a := range cluster.ListenAddrs() {
		dials[a] = a
	}
	path := filepath.Join(t.TempDir(), "source.hist")
	s := protocol.Spec{
		Name: "source-input", Role: protocol.RoleSource, Run: history.RunIDOf("test"), Bootstrap: cluster.ListenAddrs(), Dials: dials,
		Output: "in", Partitions: partitions, Shared: harness.DefaultShared(), Load: load, Count: count,
	}
	hist, err := history.Create(path, history.Process{Stamp: history.AtNow(), Name: s.Name})
	require.NoError(t, err)
	stopping, stop := context.WithCancel(t.Context())
	src, err := open(&member.Process{Spec: s, History: hist, Stopping: stopping, Gates: &phase.Gates{}}, c)
	require.NoError(t, err)
	return lonely{source: src, kfake: cluster, path: path, stop: stop}
}

// end closes the history and returns its entries and size.
func (l lonely) end(t testing.TB) ([]history.Entry, int64) {
	t.Helper()
	require.NoError(t, l.History.Close())
	var entries []history.Entry
	_, err := history.ReadFile(l.path, func(e history.Entry) error { entries = append(entries, e); return nil })
	require.NoError(t, err)
	info, err := os.Stat(l.path)
	require.NoError(t, err)
	return entries, info.Size()
}

// eventually waits for a condition; the bound is there for a test that hangs only.
func eventually(t *testing.T, what string, try func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err := wait.Poll(ctx, 5*time.Millisecond, func() (bool, error) { return try(), nil })
	require.NoError(t, err, what)
}

func TestSourceKeepsItsPaceOpenLoop(t *testing.T) {
	l := newLonely(t, harness.Load{Rate: 1000, RecordSize: 100}, 800, Config{})
	// The broker answers nothing for a while: the schedule must not slip, though nothing can be acknowledged.
	slept := make(chan struct{})
	l.kfake.ControlKey(int16(kmsg.Produce), func(kmsg.Request) (kmsg.Response, error, bool) {
		l.kfake.SleepControl(func() { <-slept })
		return nil, nil, false
	})
	done := make(chan error)
	go func() { done <- l.run(t.Context()) }()
	eventually(t, "all intended while nothing is acknowledged", func() bool { return l.counters().Intended == 800 })
	require.Zero(t, l.counters().Acked)
	close(slept)
	require.NoError(t, <-done)
	entries, _ := l.end(t)
	require.Len(t, recorded.Acked(entries), 800)

	var scheduled []history.Time
	client, err := kgo.NewClient(kgo.SeedBrokers(l.kfake.ListenAddrs()...), kgo.ConsumeTopics("in"))
	require.NoError(t, err)
	defer client.Close()
	bySequence := map[uint64]history.Time{}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for len(bySequence) < 800 && ctx.Err() == nil {
		client.PollFetches(ctx).EachRecord(func(r *kgo.Record) {
			env, _, err := history.Decode(r.Value)
			require.NoError(t, err)
			bySequence[env.Sequence] = env.Scheduled
		})
	}
	for seq := range uint64(800) {
		scheduled = append(scheduled, bySequence[seq])
	}
	require.Equal(t, 799*time.Millisecond, scheduled[799].Sub(scheduled[0]).Round(time.Microsecond))
	for i := range 799 {
		require.Equal(t, time.Millisecond, scheduled[i+1].Sub(scheduled[i]).Round(time.Microsecond))
	}
}

func TestAcksStayUnderEightBytes(t *testing.T) {
	for name, load := range map[string]harness.Load{
		"slow": {Rate: 200, RecordSize: 100}, "usual": {Rate: 1000, RecordSize: 100}, "unlimited": {RecordSize: 100},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			count := uint64(max(load.Rate*2, 400))
			if load.Rate == 0 {
				count = 50_000
			}
			l := newLonely(t, load, count, Config{})
			require.NoError(t, l.run(t.Context()))
			entries, size := l.end(t)
			require.Len(t, recorded.Acked(entries), int(count))
			t.Logf("%.2f bytes a record, intents included", float64(size)/float64(count))
			require.Less(t, float64(size)/float64(count), 8.0)
		})
	}
}

func TestRecordsWithoutAnAnswerAreUnknownWhenTheDrainEnds(t *testing.T) {
	for name, c := range map[string]Config{"idempotent": {}, "acks1": acks1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLonely(t, harness.Load{Rate: 1000, RecordSize: 100}, 300, c)
			l.kfake.ControlKey(int16(kmsg.Produce), func(kmsg.Request) (kmsg.Response, error, bool) {
				l.kfake.KeepControl()
				return nil, nil, true // never answered
			})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan error)
			go func() { done <- l.run(ctx) }()
			eventually(t, "all handed to the client", func() bool { return l.pending.Load() == 300 })
			cancel()
			require.NoError(t, <-done)
			entries, _ := l.end(t)
			require.Empty(t, recorded.Acked(entries))
			require.Equal(t, 300, recorded.WithReason(entries, history.OutcomeUnknown))
		})
	}
}

func TestRejectedRecordsAreFailed(t *testing.T) {
	l := newLonely(t, harness.Load{Rate: 1000, RecordSize: 100}, 300, acks1)
	l.kfake.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.InvalidRecord, Count: -1})
	require.NoError(t, l.run(t.Context()))
	entries, _ := l.end(t)
	require.Equal(t, 300, recorded.WithReason(entries, history.OutcomeFailed))
	for p := range int32(partitions) {
		require.Zero(t, l.kfake.PartitionInfo("in", p).HighWatermark)
	}
}

func TestStoppedSourceSendsItsBlockAndDrains(t *testing.T) {
	l := newLonely(t, harness.Load{Rate: 1000, RecordSize: 100}, 0, Config{})
	done := make(chan error)
	go func() { done <- l.run(t.Context()) }()
	eventually(t, "some acknowledged", func() bool { return l.counters().Acked > 50 })
	l.stop()
	require.NoError(t, <-done)
	entries, _ := l.end(t)
	var intended uint64
	for _, e := range recorded.Of[*history.Intent](entries) {
		intended += e.Count
	}
	require.Len(t, recorded.Acked(entries), int(intended))
}

// TestDishonestBroker is the planted fault "acknowledges without storing": the history must say acknowledged where the
// log has nothing.
func TestDishonestBroker(t *testing.T) {
	l := newLonely(t, harness.Load{Rate: 1000, RecordSize: 100}, 300, acks1, kfake.BlackholeProduce())
	require.NoError(t, l.run(t.Context()))
	entries, _ := l.end(t)
	require.Len(t, recorded.Acked(entries), 300)

	lies := 0
	l = newLonely(t, harness.Load{Rate: 1000, RecordSize: 100}, 300, acks1)
	l.kfake.ControlKey(int16(kmsg.Produce), func(req kmsg.Request) (kmsg.Response, error, bool) {
		l.kfake.KeepControl()
		if lies++; lies%2 == 0 {
			return nil, nil, false
		}
		return ackWithoutStoring(req.(*kmsg.ProduceRequest)), nil, true
	})
	require.NoError(t, l.run(t.Context()))
	entries, _ = l.end(t)
	require.Len(t, recorded.Acked(entries), 300)
	var stored int64
	for p := range int32(partitions) {
		stored += l.kfake.PartitionInfo("in", p).HighWatermark
	}
	require.Positive(t, stored)
	require.Less(t, stored, int64(300), "the log lacks what was acknowledged")
}

func ackWithoutStoring(req *kmsg.ProduceRequest) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.ProduceResponse)
	for _, t := range req.Topics {
		topic := kmsg.NewProduceResponseTopic()
		topic.Topic, topic.TopicID = t.Topic, t.TopicID
		for _, p := range t.Partitions {
			answer := kmsg.NewProduceResponseTopicPartition()
			answer.Partition, answer.BaseOffset = p.Partition, 1_000_000
			topic.Partitions = append(topic.Partitions, answer)
		}
		resp.Topics = append(resp.Topics, topic)
	}
	return resp
}
