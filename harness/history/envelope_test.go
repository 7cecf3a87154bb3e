package history

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func drawOutput(t *rapid.T) Output {
	var out Output
	out.Run = RunID(rapid.Uint64().Draw(t, "run"))
	out.Identity = Identity{Source: rapid.Uint16().Draw(t, "source"), Sequence: rapid.Uint64().Draw(t, "sequence")}
	out.Scheduled = Time(rapid.Int64().Draw(t, "scheduled"))
	out.Origin = Origin{
		Partition: rapid.Int32().Draw(t, "partition"), Offset: rapid.Int64().Draw(t, "offset"), Worker: rapid.Uint16().Draw(t, "worker"),
		Incarnation: rapid.Uint32().Draw(t, "incarnation"), Processing: rapid.Uint64().Draw(t, "processing"), Txn: rapid.Uint64().Draw(t, "txn"),
	}
	return out
}

// TestEnvelope: what is written is read; cut anywhere it is refused; any changed bit is found, also in the padding.
func TestEnvelope(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawOutput(t)
		size := rapid.IntRange(0, 200).Draw(t, "size")
		prefix := rapid.SliceOfN(rapid.Byte(), 0, 9).Draw(t, "prefix")
		isOutput := rapid.Bool().Draw(t, "output")
		value := AppendInput(prefix, want.Input, size)
		if isOutput {
			value = AppendOutput(prefix, want, size)
		} else {
			want.Origin = Origin{}
		}
		value = value[len(prefix):]
		require.Len(t, value, max(size, OutputSize))
		got, gotOutput, err := Decode(value)
		require.NoError(t, err)
		require.Equal(t, isOutput, gotOutput)
		require.Equal(t, want, got)
		for n := range value {
			_, _, err := Decode(value[:n])
			require.Error(t, err)
		}
		at := rapid.IntRange(0, len(value)-1).Draw(t, "at")
		value[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		_, _, err = Decode(value)
		require.Error(t, err)
	})
}

func TestForeignAndCorrupt(t *testing.T) {
	_, _, err := Decode(nil)
	require.ErrorIs(t, err, ErrForeign)
	_, _, err = Decode([]byte("an ordinary message of somebody else's, long enough to hold an envelope of ours"))
	require.ErrorIs(t, err, ErrForeign)
	value := AppendInput(nil, Input{Identity: Identity{Sequence: 4}}, 100)
	other := AppendInput(nil, Input{Identity: Identity{Sequence: 5}}, 100)
	copy(value[inputSize:], other[inputSize:])
	_, _, err = Decode(value)
	require.ErrorIs(t, err, ErrCorrupt, "the right identity with another record's body")
	value = AppendInput(nil, Input{}, 0)
	value[14] = 9
	_, _, err = Decode(seal(value, 0))
	require.ErrorIs(t, err, ErrCorrupt, "an unknown kind under a right CRC")
}

func TestDecodeAllocatesNothing(t *testing.T) {
	value := AppendOutput(nil, Output{}, 100)
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _, _ = Decode(value) }))
}

func TestRunIDs(t *testing.T) {
	require.NotEqual(t, RunIDOf("a"), RunIDOf("b"))
	require.Equal(t, RunIDOf("a"), RunIDOf("a"))
}

func FuzzDecode(f *testing.F) {
	f.Add(AppendInput(nil, Input{}, 0))
	f.Add(AppendOutput(nil, Output{}, 90))
	f.Fuzz(func(t *testing.T, value []byte) {
		out, isOutput, err := Decode(value)
		if err == nil && isOutput {
			again, _, err := Decode(AppendOutput(nil, out, len(value)))
			require.NoError(t, err)
			require.Equal(t, out, again)
		}
	})
}
