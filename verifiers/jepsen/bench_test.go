package jepsen_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/jepsen"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// BenchmarkExport writes a run of a million records through a transactional worker.
func BenchmarkExport(b *testing.B) {
	const records = 1 << 20
	dir := longRun(b, records)
	for b.Loop() {
		require.NoError(b, jepsen.Export(dir, filepath.Join(b.TempDir(), "edn")))
	}
	b.ReportMetric(float64(records*b.N)/b.Elapsed().Seconds(), "records/s")
}

const (
	longTopic = "in"
	longRow   = "transactional"
	longBatch = 512
)

// longRun saves a clean run of one partition: a source's blocks, and a worker's transaction for each.
func longRun(tb testing.TB, records int) string {
	dir := tb.TempDir()
	require.NoError(tb, os.MkdirAll(filepath.Join(dir, "history"), 0o755))
	require.NoError(tb, os.MkdirAll(filepath.Join(dir, observation.Folder), 0o755))
	record := &harness.RunRecord{Version: harness.RecordVersion, Name: "long", Started: time.Unix(1, 0), Base: 1, Plan: harness.TopicPlan{
		Input: longTopic, Partitions: 1, Pipelines: []harness.PipelineLayout{{
			PipelineInfo: harness.PipelineInfo{Name: longRow, Transactional: true, ReadCommitted: true}, Output: "out", Group: "g",
		}},
	}}
	create := func(name, role string, number uint16) *history.Writer {
		file := "history/" + name + ".hist"
		out, err := history.Create(filepath.Join(dir, file), history.Process{Stamp: history.At(1), Name: name, Role: role, Number: number, Incarnation: 1})
		require.NoError(tb, err)
		record.Histories = append(record.Histories, harness.HistoryRecord{File: file, Process: name, Role: role, Pipeline: longRow, Incarnation: 1})
		return out
	}
	source, worker, live := create("source-input", "source", 0), create("transactional-0", "worker", 0), create("observer-live", "harness", 0)
	in, err := observation.Create(observation.File(dir, longTopic, 0), observation.Header{Topic: longTopic})
	require.NoError(tb, err)
	out, err := observation.Create(observation.File(dir, "out", 0), observation.Header{Topic: "out"})
	require.NoError(tb, err)
	for n := range records / longBatch {
		l := longBlock{at: history.Time(n+1) * history.Time(time.Millisecond), first: int64(n * longBatch), txn: uint64(n + 1)}
		require.NoError(tb, source.Write(l.source()...))
		require.NoError(tb, worker.Write(l.worker()...))
		require.NoError(tb, live.Write(l.live()))
		require.NoError(tb, in.Write(l.input()))
		data, marker := l.output()
		require.NoError(tb, out.Write(data))
		require.NoError(tb, out.Write(marker))
	}
	for _, f := range []interface{ Close() error }{source, worker, live, in, out} {
		require.NoError(tb, f.Close())
	}
	index := &observation.Index{Finished: true, Partitions: []observation.Partition{
		{Topic: longTopic, HW: int64(records), LSO: int64(records)}, {Topic: "out", HW: int64(2 * records), LSO: int64(2 * records)},
	}}
	require.NoError(tb, index.Save(dir))
	require.NoError(tb, record.Save(dir))
	return dir
}

// longBlock is one block on its way: as it was sent, polled, made and committed.
type longBlock struct {
	at    history.Time
	first int64
	txn   uint64
}

func (l longBlock) source() []history.Entry {
	run := history.SequenceSpan{First: uint64(l.first), Stride: 1, Count: longBatch}
	return []history.Entry{
		&history.Intent{Stamp: history.At(l.at), First: uint64(l.first), Count: longBatch},
		&history.Acked{Stamp: history.At(l.at + 1), Spans: []history.AckSpan{{SequenceSpan: run, Offset: l.first}}},
	}
}

func (l longBlock) worker() []history.Entry {
	offsets := []history.PartitionOffset{{Offset: l.first + longBatch}}
	return []history.Entry{
		&history.Polled{Stamp: history.At(l.at + 2), From: l.first, To: l.first + longBatch, Count: longBatch, Processing: uint64(l.first)},
		&history.TxnBegin{Stamp: history.At(l.at + 3), Txn: l.txn},
		&history.Outputs{Stamp: history.At(l.at + 4), Txn: l.txn, Outcome: history.OutcomeConfirmed, Counts: []history.PartitionCount{{Count: longBatch}}},
		&history.TxnEnding{Stamp: history.At(l.at + 5), Txn: l.txn, Commit: true},
		&history.Committed{Stamp: history.At(l.at + 6), Txn: l.txn, Outcome: history.OutcomeConfirmed, Offsets: offsets},
		&history.TxnEnded{Stamp: history.At(l.at + 7), Txn: l.txn, Commit: true, Outcome: history.OutcomeConfirmed},
	}
}

// place is where the block begins in the output log, which has a marker behind each.
func (l longBlock) place() int64 { return l.first + int64(l.txn) - 1 }

func (l longBlock) live() history.Entry {
	return &history.DeliveredLive{Stamp: history.At(l.at + 8), Topic: "out", From: l.place(), To: l.place() + longBatch, Count: longBatch}
}

func (l longBlock) input() *observation.Batch {
	b := &observation.Batch{First: l.first, Last: l.first + longBatch - 1, Count: longBatch, ProducerID: 1}
	for i := range int64(longBatch) {
		b.Records = append(b.Records, observation.Record{Offset: l.first + i, Identity: history.Identity{Sequence: uint64(l.first + i)}})
	}
	return b
}

func (l longBlock) output() (data, marker *observation.Batch) {
	data = &observation.Batch{First: l.place(), Last: l.place() + longBatch - 1, Count: longBatch, ProducerID: 2, Transactional: true}
	for i := range int64(longBatch) {
		data.Records = append(data.Records, observation.Record{
			Offset: l.place() + i, Status: observation.Output, Identity: history.Identity{Sequence: uint64(l.first + i)},
			Origin: history.Origin{Offset: l.first + i, Incarnation: 1, Processing: uint64(l.first + i), Txn: l.txn},
		})
	}
	end := l.place() + longBatch
	marker = &observation.Batch{First: end, Last: end, Count: 1, ProducerID: 2, Transactional: true, Control: true, Marker: observation.MarkerCommit}
	return data, marker
}

// TestLongRunsAreClean: the run that the benchmark writes shows nothing, so that it is what it says.
func TestLongRunsAreClean(t *testing.T) {
	into := t.TempDir()
	require.NoError(t, jepsen.Export(longRun(t, 20*longBatch), into))
	ops := readHistory(t, filepath.Join(into, longRow+jepsen.Extension))
	holdsTogether(t, ops)
	require.Empty(t, byFamily(analyse(ops).anomalies(), families{[]int64{0}, []int64{1}, []int64{2}}))
	require.Empty(t, marked(ops))
}
