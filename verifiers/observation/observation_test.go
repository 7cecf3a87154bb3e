package observation

import (
	"bytes"
	"encoding/hex"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chaeos/chaeos/harness/history"
)

func drawBatch(t *rapid.T) *Batch {
	b := &Batch{
		First: rapid.Int64Range(0, math.MaxInt64-math.MaxInt32).Draw(t, "first"), ProducerID: rapid.Int64().Draw(t, "pid"),
		ProducerEpoch: rapid.Int16().Draw(t, "epoch"), BaseSequence: rapid.Int32().Draw(t, "sequence"), LeaderEpoch: rapid.Int32().Draw(t, "leader"),
		MaxTimestamp: rapid.Int64().Draw(t, "timestamp"), Transactional: rapid.Bool().Draw(t, "txn"), Control: rapid.Bool().Draw(t, "control"),
		Damaged: rapid.Bool().Draw(t, "damaged"), Marker: Marker(rapid.IntRange(0, 3).Draw(t, "marker")), Count: rapid.Int32Range(0, math.MaxInt32).Draw(t, "count"),
		Bytes: rapid.Int32Range(0, math.MaxInt32).Draw(t, "bytes"), CoordinatorEpoch: rapid.Int32().Draw(t, "coordinator"),
	}
	b.Last = b.First + int64(rapid.Int32Range(0, math.MaxInt32).Draw(t, "delta"))
	for range rapid.IntRange(0, 6).Draw(t, "n") {
		r := Record{
			Offset: rapid.Int64Range(0, math.MaxInt64).Draw(t, "offset"), Status: Status(rapid.IntRange(0, 3).Draw(t, "status")),
			Identity:  history.Identity{Source: rapid.Uint16().Draw(t, "source"), Sequence: rapid.Uint64().Draw(t, "seq")},
			Scheduled: history.Time(rapid.Int64().Draw(t, "scheduled")),
		}
		if r.Status == Output {
			r.Origin = history.Origin{
				Partition: rapid.Int32().Draw(t, "p"), Offset: rapid.Int64().Draw(t, "o"), Worker: rapid.Uint16().Draw(t, "w"),
				Incarnation: rapid.Uint32().Draw(t, "i"), Processing: rapid.Uint64().Draw(t, "proc"), Txn: rapid.Uint64().Draw(t, "x"),
			}
		}
		b.Records = append(b.Records, r)
	}
	return b
}

func save(t require.TestingT, path string, batches []*Batch) {
	w, err := Create(path, Header{Run: 7, Topic: "out", Partition: 2})
	require.NoError(t, err)
	for _, b := range batches {
		require.NoError(t, w.Write(b))
	}
	require.NoError(t, w.Close())
}

func readAll(r *Reader) (got []*Batch) {
	var b Batch
	for r.Next(&b) {
		c := b
		c.Place, c.Spans, c.Records = 0, nil, append([]Record(nil), b.Records...)
		got = append(got, &c)
	}
	return got
}

// TestRoundTrip: what is written is what is read, and a file that is cut anywhere, or has any byte changed, gives whole
// batches only, and reports that it is not whole.
func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.obs")
	rapid.Check(t, func(t *rapid.T) {
		var want []*Batch
		for range rapid.IntRange(0, 4).Draw(t, "batches") {
			want = append(want, drawBatch(t))
		}
		save(t, path, want)
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		requireWhole(t, data, want)
		flip := rapid.IntRange(0, len(data)-1).Draw(t, "flip")
		changed := bytes.Clone(data)
		changed[flip] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		requirePrefix(t, changed, want)
		for n := range data {
			requirePrefix(t, data[:n], want)
		}
	})
}

func readerOf(data []byte) (*Reader, error) {
	return newReader(bytes.NewReader(data), int64(len(data)), io.NopCloser(nil))
}

func requireWhole(t require.TestingT, data []byte, want []*Batch) {
	r, err := readerOf(data)
	require.NoError(t, err)
	require.Equal(t, Header{Run: 7, Topic: "out", Partition: 2}, r.Header())
	require.Equal(t, want, readAll(r))
	require.True(t, r.Tail().Ended)
	require.Empty(t, r.Tail().Reason)
	r, err = readerOf(data)
	require.NoError(t, err)
	r.decoder.form = headersOnly
	for i, b := range readAll(r) {
		require.Equal(t, want[i].First, b.First)
		require.Empty(t, b.Records)
	}
	require.True(t, r.Tail().Ended)
	requireRuns(t, data, want)
}

// requireRuns: the records that runs stand for are the records that were written, but for their times.
func requireRuns(t require.TestingT, data []byte, want []*Batch) {
	r, err := readerOf(data)
	require.NoError(t, err)
	r.decoder.form = asSpans
	var b Batch
	for i := 0; r.Next(&b); i++ {
		require.Empty(t, b.Records)
		var got []Record
		for j := range b.Spans {
			for k := range b.Spans[j].Count {
				got = append(got, b.Spans[j].At(k))
			}
		}
		untimed := append([]Record(nil), want[i].Records...)
		for j := range untimed {
			untimed[j].Scheduled = 0
		}
		require.Equal(t, untimed, got)
	}
	require.True(t, r.Tail().Ended)
}

// TestOrderlyBatchIsOneRun: what a source and a worker write in order is one run a batch, whatever the times; a gap, or
// another worker, begins a new one.
func TestOrderlyBatchIsOneRun(t *testing.T) {
	b := &Batch{First: 100, Last: 119}
	for i := range int64(20) {
		b.Records = append(b.Records, Record{
			Offset: 100 + i, Status: Output, Identity: history.Identity{Source: 1, Sequence: uint64(7 + 3*i)}, Scheduled: history.Time(i * i),
			Origin: history.Origin{Partition: 2, Offset: 40 + i, Worker: 1, Incarnation: 2, Processing: uint64(5 + i), Txn: 9},
		})
	}
	require.Equal(t, []int64{20}, runCounts(t, b))
	b.Records[7].Worker = 3
	require.Equal(t, []int64{7, 1, 12}, runCounts(t, b))
	b.Records = append(b.Records[:3], b.Records[10:]...)
	require.Equal(t, []int64{3, 10}, runCounts(t, b))
}

func runCounts(t *testing.T, b *Batch) (counts []int64) {
	path := filepath.Join(t.TempDir(), "x.obs")
	save(t, path, []*Batch{b})
	_, tail, err := ReadSpans(path, func(b *Batch) error {
		for i := range b.Spans {
			counts = append(counts, b.Spans[i].Count)
		}
		return nil
	})
	require.NoError(t, err)
	require.True(t, tail.Ended)
	return counts
}

func requirePrefix(t require.TestingT, data []byte, want []*Batch) {
	r, err := readerOf(data)
	if err != nil {
		return
	}
	got := readAll(r)
	require.LessOrEqual(t, len(got), len(want))
	for i := range got {
		require.Equal(t, want[i], got[i])
	}
	require.False(t, r.Tail().Ended)
	require.NotEmpty(t, r.Tail().Reason)
}

func TestOtherVersionIsRefused(t *testing.T) {
	_, err := readerOf(format.AppendHeader(nil, 7))
	require.ErrorContains(t, err, "version 7")
	_, err = readerOf([]byte("something else"))
	require.ErrorContains(t, err, "not an observation file")
}

// TestVersion1IsRead: a file of the version before, byte for byte, says what it always said, and nothing of what it lacks.
func TestVersion1IsRead(t *testing.T) {
	data, err := hex.DecodeString("636861656f734f01060000000107046f7574a69f6751280000000209000602120200040a0402060102010201000100021601" +
		"020100020002000200020002000200020d2a554e0c0000000203020a0012040100000200babd52f4030000000302025f9f6b2f")
	require.NoError(t, err)
	r, err := readerOf(data)
	require.NoError(t, err)
	got := readAll(r)
	require.True(t, r.Tail().Ended, r.Tail().Reason)
	require.Len(t, got, 2)
	require.EqualValues(t, 4, got[0].Records[1].Offset)
	require.EqualValues(t, 12, got[0].Records[1].Sequence)
	require.Equal(t, MarkerCommit, got[1].Marker)
	require.EqualValues(t, -1, got[1].CoordinatorEpoch)
	require.Zero(t, got[0].Bytes)
}

func TestSequenceWraps(t *testing.T) {
	b := Batch{First: 10, BaseSequence: math.MaxInt32}
	require.EqualValues(t, math.MaxInt32, b.Sequence(10))
	require.EqualValues(t, 0, b.Sequence(11))
	require.EqualValues(t, -1, (&Batch{BaseSequence: -1}).Sequence(5))
	require.EqualValues(t, -1, (&Batch{ProducerID: -1}).Sequence(5), "franz-go writes a base sequence of 0 without idempotence")
}

// TestTransactionsAgainstMarkers: interleaved producers, a marker without records, one left open.
func TestTransactionsAgainstMarkers(t *testing.T) {
	var txns Transactions
	data := func(pid, first int64) {
		txns.Add(&Batch{First: first, Last: first, ProducerID: pid, Transactional: true})
	}
	end := func(pid, first int64, m Marker) bool {
		return txns.Add(&Batch{First: first, Last: first, ProducerID: pid, Transactional: true, Control: true, Marker: m})
	}
	data(1, 0)
	data(2, 1)
	data(1, 2)
	require.True(t, end(1, 3, MarkerAbort))
	require.False(t, end(1, 4, MarkerAbort))
	data(1, 5)
	require.True(t, end(2, 6, MarkerCommit))
	require.True(t, end(1, 7, MarkerAbort))
	data(3, 8)
	require.Equal(t, []Aborted{{1, 0, 3}, {1, 5, 7}}, txns.Aborted())
	require.Len(t, txns.Open(), 1)
	a := NewAborts(txns.Aborted())
	for first, want := range map[int64]bool{0: true, 2: true, 4: false, 5: true, 8: false} {
		require.Equal(t, want, a.Has(&Batch{First: first, ProducerID: 1, Transactional: true}), first)
	}
	require.False(t, a.Has(&Batch{First: 1, ProducerID: 2, Transactional: true}))
	require.False(t, a.Has(&Batch{First: 0, ProducerID: 1}), "not transactional")
}

func FuzzReader(f *testing.F) {
	path := filepath.Join(f.TempDir(), "x.obs")
	save(f, path, []*Batch{{First: 3, Last: 4, Records: []Record{{Offset: 3}, {Offset: 4, Status: Output}}}})
	data, err := os.ReadFile(path)
	require.NoError(f, err)
	f.Add(data)
	f.Add(data[:len(data)-9])
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := readerOf(data)
		if err == nil {
			readAll(r)
			require.True(t, r.Tail().Ended != (r.Tail().Reason != ""))
		}
	})
}

// FuzzBatch reaches the batch decoder behind the CRC.
func FuzzBatch(f *testing.F) {
	f.Add(appendBatch(nil, &Batch{First: 3, Last: 4, Records: []Record{{Offset: 3}, {Offset: 4, Status: Output}}}, new([]int64))[1:])
	f.Fuzz(func(t *testing.T, body []byte) {
		var b, again, runs Batch
		d := batchDecoder{}
		n, err := d.read(body, &b)
		asSpans := batchDecoder{form: asSpans}
		m, runsErr := asSpans.read(body, &runs)
		require.Equal(t, err == nil, runsErr == nil, "both forms accept the same")
		if err == nil {
			require.Equal(t, n, m)
			_, err := d.read(appendBatch(nil, &b, new([]int64))[1:], &again)
			require.NoError(t, err)
			require.Equal(t, b.First, again.First)
		}
	})
}
