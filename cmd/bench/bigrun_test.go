package bench

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// A big run is a saved run that never ran: the folder of a clean run of three rows (a source under test, a pipeline
// without transactions, one with), and a few losses and duplicates in it, so that the passes for anomalies are measured,
// too. Its form is that of a busy run: perBatch records a batch, one commit and one transaction for the batches of a poll.
const (
	perBatch = 10
	bigBase  = history.Time(1_000_000_000_000)
	// everyLost is how often the pipeline without transactions leaves an output out, everyTwice how often it writes one
	// twice, in batches.
	everyLost  = 50_000
	everyTwice = 20_000
)

type bigRun struct {
	t      testing.TB
	dir    string
	record *harness.RunRecord
	index  *observation.Index
}

// makeBigRun saves a run whose four logs hold records records in all, in dir.
func makeBigRun(t testing.TB, dir string, records uint64) {
	b := &bigRun{t: t, dir: dir, record: &harness.RunRecord{
		Version: harness.RecordVersion, Name: "big", RunID: history.RunIDOf("big"), Experiment: "bench", Seed: 1,
		Started: time.Unix(1_800_000_000, 0).UTC(), Base: bigBase, LoadStart: bigBase, Bounds: harness.DefaultBounds(),
		Plan: harness.TopicPlan{Input: "in", Partitions: partitions, MinISR: 2, Pipelines: []harness.PipelineLayout{
			{PipelineInfo: harness.PipelineInfo{Name: "acks1", Claims: harness.AtLeastOnce, ProducerOnly: true}, Source: 1, Output: "out-acks1"},
			{PipelineInfo: harness.PipelineInfo{Name: "idempotent", Claims: harness.AtLeastOnce}, Output: "out-idempotent", Group: "g-idempotent"},
			{PipelineInfo: harness.PipelineInfo{Name: "transactional", Claims: harness.ExactlyOnce, Transactional: true, ReadCommitted: true}, Output: "out-transactional", Group: "g-transactional"},
		}},
		Cluster: harness.ClusterInfo{Provider: "local", Kafka: "4.3.1", Nodes: []int{1, 2, 3}},
	}}
	b.index = &observation.Index{Run: b.record.RunID, Finished: true}
	for _, folder := range []string{"history", observation.Folder} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, folder), 0o755))
	}
	batches := int64(records / 4 / partitions / perBatch)
	b.source(0, "source-input", "", "in", batches)
	b.source(1, "source-acks1", "acks1", "out-acks1", batches)
	b.plain(batches)
	b.transactional(batches)
	b.observer(batches)
	require.NoError(t, b.index.Save(dir))
	require.NoError(t, b.record.Save(dir))
}

// now is when the n-th batch of every partition is sent: three records a millisecond.
func now(n int64) history.Time { return bigBase.Add(time.Duration(n) * perBatch * time.Millisecond) }

func (b *bigRun) history(name, role, pipeline string, number, incarnation int) (*history.Writer, func()) {
	rec := harness.HistoryRecord{File: "history/" + name + ".hist", Process: name, Role: role, Pipeline: pipeline, Number: number, Incarnation: incarnation}
	path := filepath.Join(b.dir, rec.File)
	w, err := history.Create(path, history.Process{
		Stamp: history.At(bigBase), Run: b.record.RunID, Name: name, Role: role, Pipeline: pipeline, Number: uint16(number), Incarnation: uint32(incarnation), Pid: 1,
	})
	require.NoError(b.t, err)
	return w, func() {
		require.NoError(b.t, w.Close())
		info, err := os.Stat(path)
		require.NoError(b.t, err)
		rec.Bytes = info.Size()
		b.record.Histories = append(b.record.Histories, rec)
	}
}

// log is one output or input partition while it is written.
type log struct {
	b     *bigRun
	out   *observation.Writer
	info  observation.Partition
	batch observation.Batch
	next  int64
}

func (b *bigRun) logs(topic string, pid int64, transactional bool) []*log {
	return b.logsOf(partitions, topic, pid, transactional)
}

func (b *bigRun) logsOf(partitions int32, topic string, pid int64, transactional bool) []*log {
	var all []*log
	for p := range partitions {
		out, err := observation.Create(observation.File(b.dir, topic, p), observation.Header{Run: b.record.RunID, Topic: topic, Partition: p})
		require.NoError(b.t, err)
		all = append(all, &log{b: b, out: out, info: observation.Partition{Topic: topic, Partition: p, Leader: 1, Complete: true},
			batch: observation.Batch{ProducerID: pid, Transactional: transactional, CoordinatorEpoch: -1, Bytes: 1100}})
	}
	return all
}

func (l *log) write() int64 {
	x := &l.batch
	x.First, x.Last, x.Count = l.next, l.next+int64(max(1, len(x.Records)))-1, int32(max(1, len(x.Records)))
	for i := range x.Records {
		x.Records[i].Offset = x.First + int64(i)
	}
	require.NoError(l.b.t, l.out.Write(x))
	if !x.Control {
		x.BaseSequence = (x.BaseSequence + x.Count) & 0x7fffffff
	}
	l.next = x.Last + 1
	return x.First
}

func (l *log) marker() {
	m := l.batch
	l.batch = observation.Batch{ProducerID: m.ProducerID, Transactional: true, Control: true, Marker: observation.MarkerCommit, BaseSequence: -1}
	l.write()
	l.batch = m
}

func (b *bigRun) close(logs []*log) {
	for _, l := range logs {
		x := &l.info
		x.HW, x.LSO, x.HWAfter, x.LSOAfter, x.Reached = l.next, l.next, l.next, l.next, l.next
		x.Batches, x.Records = l.out.Totals()
		require.NoError(b.t, l.out.Close())
		b.index.Partitions = append(b.index.Partitions, *x)
	}
}

func sequence(n int64, p, i int) uint64 {
	return uint64(n)*partitions*perBatch + uint64(i*partitions+p)
}

func (b *bigRun) source(number int, name, pipeline, topic string, batches int64) {
	w, done := b.history(name, "source", pipeline, number, 0)
	logs := b.logs(topic, int64(100+number), false)
	for n := range batches {
		acked := &history.Acked{Stamp: history.At(now(n + 1))}
		for p, l := range logs {
			l.batch.Records = l.batch.Records[:0]
			for i := range perBatch {
				l.batch.Records = append(l.batch.Records, observation.Record{
					Identity: history.Identity{Source: uint16(number), Sequence: sequence(n, p, i)}, Scheduled: now(n).Add(time.Duration(i*partitions+p) * 333_333),
				})
			}
			first := l.write()
			acked.Spans = append(acked.Spans, history.AckSpan{Partition: int32(p), SequenceSpan: history.SequenceSpan{First: sequence(n, p, 0), Stride: partitions, Count: perBatch}, Offset: first})
		}
		require.NoError(b.t, w.Write(&history.Intent{Stamp: history.At(now(n)), First: sequence(n, 0, 0), Count: partitions * perBatch}, acked))
	}
	b.close(logs)
	done()
}

// outputs fills a partition's batch with the outputs of its n-th input batch.
func (l *log) outputs(n int64, p int, processing, txn uint64) {
	l.batch.Records = l.batch.Records[:0]
	for i := range perBatch {
		l.batch.Records = append(l.batch.Records, observation.Record{
			Status: observation.Output, Identity: history.Identity{Sequence: sequence(n, p, i)}, Scheduled: now(n).Add(time.Duration(i*partitions+p) * 333_333),
			Origin: history.Origin{Partition: int32(p), Offset: n*perBatch + int64(i), Incarnation: 1, Processing: processing + uint64(i), Txn: txn},
		})
	}
}

func polled(n int64, p int, processing uint64) *history.Polled {
	return &history.Polled{Stamp: history.At(now(n)), Partition: int32(p), From: n * perBatch, To: (n + 1) * perBatch, Count: perBatch, Processing: processing}
}

func (b *bigRun) plain(batches int64) {
	w, done := b.history("idempotent-0", "worker", "idempotent", 0, 1)
	logs := b.logs("out-idempotent", 200, false)
	require.NoError(b.t, w.Write(&history.Assigned{Stamp: history.At(bigBase), Generation: 1, Partitions: []int32{0, 1, 2}}))
	processing := uint64(1)
	for n := range batches {
		for p, l := range logs {
			l.outputs(n, p, processing, 0)
			if n%everyLost == everyLost-1 {
				l.batch.Records = append(l.batch.Records[:3], l.batch.Records[4:]...)
			}
			stored := uint64(len(l.batch.Records))
			l.write()
			if n%everyTwice == everyTwice-1 {
				stored++
				l.batch.Records = l.batch.Records[:1]
				l.write()
			}
			position := []history.PartitionOffset{{Partition: int32(p), Offset: (n + 1) * perBatch}}
			require.NoError(b.t, w.Write(polled(n, p, processing),
				&history.Outputs{Stamp: history.At(now(n)), Outcome: history.OutcomeConfirmed, Counts: []history.PartitionCount{{Partition: int32(p), Count: stored}}},
				&history.Committing{Stamp: history.At(now(n)), Offsets: position}, &history.Committed{Stamp: history.At(now(n)), Outcome: history.OutcomeConfirmed, Offsets: position}))
			processing += perBatch
		}
	}
	b.close(logs)
	b.positions("g-idempotent", batches)
	done()
}

func (b *bigRun) transactional(batches int64) {
	w, done := b.history("transactional-0", "worker", "transactional", 0, 1)
	logs := b.logs("out-transactional", 300, true)
	require.NoError(b.t, w.Write(&history.Assigned{Stamp: history.At(bigBase), Generation: 1, Partitions: []int32{0, 1, 2}}))
	processing := uint64(1)
	for n := range batches {
		txn := uint64(n + 1)
		entries := []history.Entry{&history.TxnBegin{Stamp: history.At(now(n)), Txn: txn}}
		stored := &history.Outputs{Stamp: history.At(now(n)), Txn: txn, Outcome: history.OutcomeConfirmed}
		var position []history.PartitionOffset
		for p, l := range logs {
			entries = append(entries, polled(n, p, processing))
			l.outputs(n, p, processing, txn)
			l.write()
			l.marker()
			processing += perBatch
			stored.Counts = append(stored.Counts, history.PartitionCount{Partition: int32(p), Count: perBatch})
			position = append(position, history.PartitionOffset{Partition: int32(p), Offset: (n + 1) * perBatch})
		}
		ended := &history.TxnEnded{Stamp: history.At(now(n)), Txn: txn, Commit: true, Outcome: history.OutcomeConfirmed}
		if n == batches/2 {
			ended.Outcome = history.OutcomeUnknown
		}
		require.NoError(b.t, w.Write(append(entries, stored, &history.Committing{Stamp: history.At(now(n)), Txn: txn, Offsets: position},
			&history.Committed{Stamp: history.At(now(n)), Txn: txn, Outcome: history.OutcomeConfirmed, Offsets: position},
			&history.TxnEnding{Stamp: history.At(now(n)), Txn: txn, Commit: true}, ended)...))
	}
	b.close(logs)
	b.positions("g-transactional", batches)
	done()
}

func (b *bigRun) positions(group string, batches int64) {
	for p := range int32(partitions) {
		b.index.Positions = append(b.index.Positions, observation.Position{Group: group, Topic: "in", Partition: p, Offset: batches * perBatch})
	}
}

func (b *bigRun) observer(batches int64) {
	live, liveDone := b.history("observer-live", "harness", "", 0, 0)
	samples, samplesDone := b.history("observer-samples", "harness", "", 0, 0)
	latency := hdrhistogram.New(1000, int64(time.Hour), 3)
	require.NoError(b.t, latency.RecordValues(int64(20*time.Millisecond), batches*partitions*perBatch))
	hdr, err := latency.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	require.NoError(b.t, err)
	for n := range batches {
		var seen, sampled []history.Entry
		for _, layout := range b.record.Plan.Pipelines {
			for p := range int32(partitions) {
				at := now(n + 1).Add(20 * time.Millisecond)
				seen = append(seen, &history.DeliveredLive{Stamp: history.At(at), Topic: layout.Output, Partition: p, From: n * perBatch, To: (n + 1) * perBatch, Count: perBatch, New: perBatch})
				if n%10 == 0 { // every 100 ms
					sampled = append(sampled, &history.Sample{Stamp: history.At(now(n)), Topic: layout.Output, Partition: p, Broker: 1, LSO: n * perBatch, HW: n * perBatch})
				}
			}
		}
		if n%200 == 0 || n == batches-1 { // every 2 s
			for _, layout := range b.record.Plan.Pipelines {
				seen = append(seen, &history.Latency{Stamp: history.At(now(n + 1)), Pipeline: layout.Name, HDR: hdr})
			}
		}
		require.NoError(b.t, live.Write(seen...))
		require.NoError(b.t, samples.Write(sampled...))
	}
	liveDone()
	samplesDone()
}
