package history

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// drawEntry makes an entry of any kind with any values: every exported field is drawn, so a field that a new kind's codec
// forgets is found.
func drawEntry(t *rapid.T) Entry {
	e := rapid.SampledFrom(kinds).Draw(t, "kind").make()
	fill(t, reflect.ValueOf(e).Elem())
	return e
}

func fill(t *rapid.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i))
		}
	case reflect.Slice:
		n := rapid.IntRange(0, 3).Draw(t, "len")
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			fill(t, v.Index(i))
		}
	case reflect.String:
		v.SetString(rapid.String().Draw(t, "string"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	default:
		fillNumber(t, v)
	}
}

func fillNumber(t *rapid.T, v reflect.Value) {
	switch {
	case v.Type() == reflect.TypeFor[Outcome]():
		v.SetUint(rapid.Uint64Range(0, uint64(OutcomeFailed)).Draw(t, "outcome"))
	case v.CanInt():
		bits := v.Type().Bits()
		v.SetInt(rapid.Int64Range(math.MinInt64>>(64-bits), math.MaxInt64>>(64-bits)).Draw(t, "int"))
	default:
		v.SetUint(rapid.Uint64Range(0, math.MaxUint64>>(64-v.Type().Bits())).Draw(t, "uint"))
	}
}

var headerSize = int(format.HeaderSize())

func framesOf(entries []Entry) []byte {
	data := format.AppendHeader(nil, Version)
	for _, e := range entries {
		data = appendFrame(data, e)
	}
	return data
}

func readEntries(data []byte) (got []Entry, tail Tail, err error) {
	tail, err = read(data, func(e Entry) error { got = append(got, e); return nil })
	return got, tail, err
}

// equal compares entries; an empty slice and none are the same.
func equal(t require.TestingT, want, got Entry) {
	require.Equal(t, marshal(nil, want), marshal(nil, got))
	require.IsType(t, want, got)
}

func TestEveryKindSurvives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawEntry(t)
		got, err := unmarshal(marshal(nil, want))
		require.NoError(t, err)
		dump := func(e Entry) any {
			v := reflect.New(reflect.TypeOf(e).Elem())
			v.Elem().Set(reflect.ValueOf(e).Elem())
			nilEmpty(v.Elem())
			return v.Interface()
		}
		require.Equal(t, dump(want), dump(got))
	})
}

func nilEmpty(v reflect.Value) {
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Slice && f.Len() == 0 {
			f.SetZero()
		}
	}
}

// TestKindsAreNumberedOnce: numbers are those of files that exist, and a new kind takes the next.
func TestKindsAreNumberedOnce(t *testing.T) {
	names, numbers := map[string]bool{}, map[kind]bool{}
	for _, e := range Kinds() {
		require.LessOrEqual(t, e.kind(), kind(len(kinds)))
		names[Name(e)], numbers[e.kind()] = true, true
		require.Equal(t, Time(41), When(stamped(e, 41)))
	}
	require.Len(t, names, len(kinds))
	require.Len(t, numbers, len(kinds))
}

func stamped(e Entry, at Time) Entry {
	*e.stamp() = At(at)
	return e
}

// TestTheFormStays: files that exist have these bytes.
func TestTheFormStays(t *testing.T) {
	ack := &Acked{Stamp: At(1 << 50), Spans: []AckSpan{{Partition: 2, SequenceSpan: SequenceSpan{First: 7, Stride: 3, Count: 300}, Offset: -1}}}
	require.Equal(t, "1003808080808080800401040703ac020119df3857", hex.EncodeToString(appendFrame(nil, ack)))
	var all []byte
	for k := kind(1); int(k) <= len(kinds); k++ {
		e, err := newEntry(k)
		require.NoError(t, err)
		all = appendFrame(all, e)
	}
	require.Equal(t, "fb529f7e785e67fe1409d24108e2a4877c847af87c56b72917d3db4e74696df5", fmt.Sprintf("%x", sha256.Sum256(all)), "an empty entry of each kind, by their numbers")
}

// TestTruncatedAnywhere: a file cut at every byte gives the whole entries before the cut and owns up to the rest.
func TestTruncatedAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := append(rapid.SliceOfN(rapid.Custom(drawEntry), 0, 4).Draw(t, "entries"), &End{Stamp: At(5)})
		data := framesOf(want)
		for n := range len(data) + 1 {
			got, tail, err := readEntries(data[:n])
			if n >= headerSize {
				require.NoError(t, err)
			}
			require.Equal(t, n == len(data), tail.Whole() && len(got) == len(want))
			require.LessOrEqual(t, len(got), len(want))
			for i := range got {
				equal(t, want[i], got[i])
			}
			require.Equal(t, n, len(framesOf(got))*min(1, n/(headerSize))+int(tail.LostBytes), "what is not read is reported as lost")
		}
	})
}

// TestFlippedAnywhere: one changed bit never changes an entry; what follows it is lost.
func TestFlippedAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := append(rapid.SliceOfN(rapid.Custom(drawEntry), 1, 4).Draw(t, "entries"), &End{Stamp: At(5)})
		data := framesOf(want)
		at := rapid.IntRange(headerSize, len(data)-1).Draw(t, "at")
		data[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		got, tail, err := readEntries(data)
		require.NoError(t, err)
		require.Less(t, len(got), len(want))
		require.Positive(t, tail.LostBytes)
		require.False(t, tail.Whole())
		for i := range got {
			equal(t, want[i], got[i])
		}
	})
}

func TestOtherFilesAreRefused(t *testing.T) {
	_, _, err := readEntries([]byte("chaeosH\x63rest"))
	require.ErrorContains(t, err, "version 99; this chaeos reads version 1")
	_, _, err = readEntries([]byte("something else"))
	require.ErrorContains(t, err, "not a history file")
	_, err = ReadFile(filepath.Join(t.TempDir(), "none"), nil)
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = unmarshal([]byte{200})
	require.ErrorContains(t, err, "unknown entry kind 200")
}

func TestWriterAndReader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.hist")
	p := Process{Stamp: At(1), Run: 7, Name: "n", Role: "worker", Pipeline: "p", Number: 2, Incarnation: 3, Pid: 4}
	w, err := Create(path, p)
	require.NoError(t, err)
	require.NoError(t, w.Write(&Intent{Stamp: At(2), First: 3, Count: 4}))
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	got, tail, err := readEntries(before)
	require.NoError(t, err)
	require.Len(t, got, 2, "what was written is in the file before it is closed")
	require.False(t, tail.Ended)
	require.NoError(t, w.Close())
	var all []Entry
	tail, err = ReadFile(path, func(e Entry) error { all = append(all, e); return nil })
	require.NoError(t, err)
	require.True(t, tail.Whole())
	require.Equal(t, &p, all[0])
	require.Equal(t, 3, tail.Entries)
	require.Error(t, w.Write(&End{}), "a closed file can't be written")
	require.Error(t, w.Write(&End{}), "and the error stays")
	_, err = Create(path, p)
	require.ErrorIs(t, err, os.ErrExist, "an existing history is never overwritten")
}

// TestAckedIsCompact: acknowledgements cost under 8 bytes a record, amortised, in spans of ten.
func TestAckedIsCompact(t *testing.T) {
	e := &Acked{Stamp: At(1 << 50)}
	for p := range int32(3) {
		e.Spans = append(e.Spans, AckSpan{Partition: p, SequenceSpan: SequenceSpan{First: 90_000_000, Stride: 3, Count: 10}, Offset: 30_000_000})
	}
	require.Less(t, len(appendFrame(nil, e)), 30*8)
}

func FuzzRead(f *testing.F) {
	f.Add(framesOf([]Entry{&Process{Name: "x"}, &Acked{Spans: []AckSpan{{}}}, &Sample{}, &End{}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, tail, err := readEntries(data)
		if err != nil {
			return
		}
		require.Len(t, got, tail.Entries)
		require.False(t, tail.LostBytes > 0 && tail.Reason == "", "a loss has its reason")
		require.False(t, tail.Ended && tail.Entries == 0)
	})
}

// FuzzUnmarshal reaches the field decoders behind the CRC: what they accept, they write again with the same meaning.
func FuzzUnmarshal(f *testing.F) {
	for _, e := range Kinds() {
		f.Add(marshal(nil, e))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := unmarshal(data)
		if err != nil {
			return
		}
		again, err := unmarshal(marshal(nil, e))
		require.NoError(t, err)
		require.Equal(t, e, again)
	})
}
