package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/cmd/chaeos/format"
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/results/page"
	"github.com/chaeos/chaeos/verifiers/observe"
)

// at is a moment of the recorded run, from its load's start.
func at(seconds float64) history.Time {
	return history.Time(100 * time.Second).Add(time.Duration(seconds * float64(time.Second)))
}

// recorded makes a run's folder: one producer whose source was killed at 5 s, came back at 7 s and was paused at 10 s.
func recorded(t *testing.T) (dir string, report *harness.Report) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "history"), 0o755))
	record := &harness.RunRecord{
		Version: harness.RecordVersion, Name: "x", Base: at(-9), LoadStart: at(0), Took: 30 * time.Second,
		Phases: []harness.PhaseRecord{{Name: "warm", Start: at(-4)}},
		Plan: harness.TopicPlan{Partitions: 1, Replicas: map[int32][]int{0: {1, 2}}, Pipelines: []harness.PipelineLayout{
			{PipelineInfo: harness.PipelineInfo{Name: "acks1", ProducerOnly: true}, Source: 1, Output: "x-out"}}},
		Faults: []harness.FaultRecord{{Fault: "worker-pause", Injected: at(10), Healed: at(12), Resolved: harness.Resolved{Members: []string{"source-acks1"}}}},
	}
	add := func(file, name, role string, killed bool, incarnation int, entries ...history.Entry) {
		w, err := history.Create(filepath.Join(dir, file), history.Process{Stamp: history.At(history.When(entries[0])), Name: name, Role: role, Number: 1})
		require.NoError(t, err)
		require.NoError(t, w.Write(entries...))
		if !killed {
			require.NoError(t, w.Close())
		}
		record.Histories = append(record.Histories, harness.HistoryRecord{File: file, Process: name, Role: role, Number: 1, Incarnation: incarnation, Killed: killed})
	}
	acked := func(when history.Time, first uint64) *history.Acked {
		return &history.Acked{Stamp: history.At(when), Spans: []history.AckSpan{{SequenceSpan: history.SequenceSpan{First: first, Stride: 1, Count: 20}, Offset: int64(first)}}}
	}
	add("history/source-acks1.1.hist", "source-acks1", "source", true, 1, &history.Intent{Stamp: history.At(at(1)), Count: 20}, acked(at(1.02), 0), &history.Intent{Stamp: history.At(at(5)), First: 20, Count: 20})
	add("history/source-acks1.2.hist", "source-acks1", "source", false, 2, &history.Intent{Stamp: history.At(at(7)), First: 40, Count: 20}, acked(at(7.02), 40))
	add(observe.SamplesFile, "observer-samples", "harness", false, 0,
		&history.Replicas{Stamp: history.At(at(-3)), Broker: 1, Topic: "x-out", Leader: 1, LeaderEpoch: 0, ISR: []int32{1, 2}},
		&history.Replicas{Stamp: history.At(at(8)), Broker: 1, Topic: "x-out", Leader: 2, LeaderEpoch: 1, ISR: []int32{2}},
		&history.Sample{Stamp: history.At(at(2)), Topic: "x-out", Broker: 1, LSO: 5, HW: 9})
	require.NoError(t, record.Save(dir))
	report = &harness.Report{LoadStart: int64(at(0)), Faults: record.Faults, Rows: []harness.Row{{Pipeline: "acks1", Claims: harness.AtLeastOnce, Numbers: harness.NumbersOf("lost", 7)}},
		Stalls: []harness.Stall{{Pipeline: "acks1", Start: int64(at(3)), Length: 2 * time.Second, TransactionalID: "t"}, {Pipeline: "other"}},
		Anomalies: []harness.Anomaly{
			{Pipeline: "acks1", Kind: harness.AnomalyLost, Record: &harness.RecordRef{Source: 1, Sequence: 25}, Text: "gone"},
			{Pipeline: "acks1", Kind: harness.AnomalyLost, Record: &harness.RecordRef{Source: 1, Sequence: 999}, Text: "never offered"}}}
	return dir, report
}

func TestPageOf(t *testing.T) {
	dir, report := recorded(t)
	got, err := pageOf(report, dir)
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{-4, 21}, []float64{got.From, got.To}, 1e-9)
	require.Len(t, got.Faults, 1)
	require.InDelta(t, 10, got.Faults[0].From, 1e-9)

	require.Equal(t, "acks1/0", got.Leaders[0].Partition)
	require.Len(t, got.Leaders[0].Spans, 2)
	require.Equal(t, []bool{false, true}, []bool{got.Leaders[0].Spans[0].Dim, got.Leaders[0].Spans[1].Dim})

	require.Len(t, got.Members, 1)
	var states []string
	for _, s := range got.Members[0].Spans {
		states = append(states, s.State)
	}
	require.Equal(t, []string{"up", "killed", "up", "paused"}, states)
	require.InDelta(t, 7, *got.Members[0].Spans[1].To, 1e-9)

	pipe := got.Pipelines[0]
	require.Len(t, pipe.Stalls, 1, "another pipeline's stall is not this one's")
	require.Len(t, pipe.Markers, 1, "one kind")
	require.Equal(t, page.Marked{Kind: "lost", Total: 7, At: []float64{5}, Records: []string{"1/25"}, Details: pipe.Markers[0].Details}, pipe.Markers[0],
		"a record that was not offered has no place on the axis")
	require.Equal(t, "gone", pipe.Markers[0].Details[0].Text)
	require.Contains(t, pipe.Markers[0].Details[0].Life, "source 1 sequence 25")
	for i, at := range pipe.Times {
		want := 0.0
		if at > 0.75 && at < 1.25 { // 20 records at 1.02 s
			want = 40
		}
		if at < 6 {
			require.InDelta(t, want, *pipe.Acked[i], 1e-9, "rates are over half a second: at %vs", at)
		}
	}
	var b bytes.Buffer
	require.NoError(t, page.HTML(&b, report, got, page.Options{}))
}

func TestReportWritesPages(t *testing.T) {
	parent := t.TempDir()
	one, two := runFolder(t, parent, "one"), runFolder(t, parent, "two")
	b := newBench(t)
	require.Zero(t, b.do("report", parent, "--html"))
	for name, dir := range map[string]string{"one": one, "two": two} {
		text, err := os.ReadFile(filepath.Join(dir, format.PageFile))
		require.NoError(t, err)
		require.Equal(t, "a page of "+name, string(text))
		require.Contains(t, b.out.String(), filepath.Join(dir, format.PageFile))
	}
	require.Equal(t, exitUsage, b.do("report", parent, "--html", "-o", filepath.Join(parent, "x.html")))
}
