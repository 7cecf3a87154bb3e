package jepsen_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/jepsen"
	"github.com/chaeos/chaeos/verifiers/observation"
)

const corpus = "../testdata/corpus"

// saved is a run of the corpus, unpacked to be changed.
type saved struct {
	t      testing.TB
	dir    string
	record *harness.RunRecord
	index  *observation.Index
}

func unpack(t testing.TB, name string) *saved {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus, name+".tar.gz"))
	require.NoError(t, err)
	unzipped, err := gzip.NewReader(bytes.NewReader(data))
	require.NoError(t, err)
	s := &saved{t: t, dir: t.TempDir()}
	in := tar.NewReader(unzipped)
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		require.True(t, filepath.IsLocal(h.Name), h.Name)
		to := filepath.Join(s.dir, h.Name)
		if h.Typeflag == tar.TypeDir {
			require.NoError(t, os.MkdirAll(to, 0o755))
			continue
		}
		content, err := io.ReadAll(in)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(to, content, 0o644))
	}
	s.record, err = harness.LoadRecord(s.dir)
	require.NoError(t, err)
	s.index, err = observation.LoadIndex(s.dir)
	require.NoError(t, err)
	return s
}

// export writes the run's histories, and returns them by row.
func (s *saved) export() map[string][]*operation {
	s.t.Helper()
	into := filepath.Join(s.t.TempDir(), "edn")
	require.NoError(s.t, jepsen.Export(s.dir, into))
	left, err := os.ReadDir(into)
	require.NoError(s.t, err)
	require.Len(s.t, left, len(s.record.Plan.Pipelines), "a file a row, and nothing else")
	all := map[string][]*operation{}
	for _, l := range s.record.Plan.Pipelines {
		all[l.Name] = readHistory(s.t, filepath.Join(into, l.Name+jepsen.Extension))
		holdsTogether(s.t, all[l.Name])
	}
	return all
}

func (s *saved) layout(row string) harness.PipelineLayout {
	l, err := s.record.Plan.Pipeline(row)
	require.NoError(s.t, err)
	return l
}

// drop takes a row out of the run.
func (s *saved) drop(row string) {
	s.record.Plan.Pipelines = slices.DeleteFunc(s.record.Plan.Pipelines, func(l harness.PipelineLayout) bool { return l.Name == row })
	require.NoError(s.t, s.record.Save(s.dir))
}

// log changes a partition of a row's output as it was read back.
func (s *saved) log(row string, partition int32, change func([]*observation.Batch) []*observation.Batch) {
	s.t.Helper()
	topic := s.layout(row).Output
	path := observation.File(s.dir, topic, partition)
	var batches []*observation.Batch
	header, tail, err := observation.ReadFile(path, false, func(b *observation.Batch) error {
		one := *b
		one.Records = slices.Clone(b.Records)
		batches = append(batches, &one)
		return nil
	})
	require.NoError(s.t, err)
	require.True(s.t, tail.Ended)
	batches = change(batches)
	out, err := observation.Create(path, header)
	require.NoError(s.t, err)
	for _, b := range batches {
		require.NoError(s.t, out.Write(b))
	}
	x := s.index.Partition(topic, partition)
	x.Batches, x.Records = out.Totals()
	require.NoError(s.t, out.Close())
	end := batches[len(batches)-1].Last + 1
	x.HW, x.LSO, x.HWAfter, x.LSOAfter, x.Reached = end, end, end, end, end
	x.Aborted, x.BrokerAborted = nil, nil
	var txns observation.Transactions
	for _, b := range batches {
		txns.Add(b)
	}
	for _, a := range txns.Aborted() {
		x.Aborted = append(x.Aborted, a)
		x.BrokerAborted = append(x.BrokerAborted, observation.Aborted{ProducerID: a.ProducerID, First: a.First, Last: -1})
	}
	require.NoError(s.t, s.index.Save(s.dir))
}

// renumber gives batches and records their places again.
func renumber(batches []*observation.Batch) []*observation.Batch {
	next := batches[0].First
	for _, b := range batches {
		n := b.Last - b.First + 1
		for i := range b.Records {
			b.Records[i].Offset += next - b.First
		}
		b.First, b.Last = next, next+n-1
		next += n
	}
	return batches
}

// again is a copy of a batch.
func again(b *observation.Batch) *observation.Batch {
	one := *b
	one.Records = slices.Clone(b.Records)
	return &one
}

// history changes what a process recorded.
func (s *saved) history(process string, change func([]history.Entry) []history.Entry) {
	s.t.Helper()
	i := slices.IndexFunc(s.record.Histories, func(h harness.HistoryRecord) bool { return h.Process == process })
	require.GreaterOrEqual(s.t, i, 0, process)
	h := &s.record.Histories[i]
	path := filepath.Join(s.dir, h.File)
	var entries []history.Entry
	_, err := history.ReadFile(path, func(e history.Entry) error {
		entries = append(entries, e)
		return nil
	})
	require.NoError(s.t, err)
	first, last := entries[0].(*history.Process), entries[len(entries)-1].(*history.End)
	entries = change(entries[1 : len(entries)-1])
	require.NoError(s.t, os.Remove(path))
	out, err := history.Create(path, *first)
	require.NoError(s.t, err)
	require.NoError(s.t, out.Write(append(entries, last)...))
	info, err := os.Stat(path)
	require.NoError(s.t, err)
	h.Bytes = info.Size()
	require.NoError(s.t, s.record.Save(s.dir))
}
