package history

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPaddingFillsEverySizeAndDiffersByRecord(t *testing.T) {
	for _, size := range []int{0, OutputSize, OutputSize + 1, 1024, paddingSize + 7, 3 * paddingSize} {
		v := AppendInput(nil, Input{Identity: Identity{Sequence: 5}}, size)
		require.Len(t, v, max(size, OutputSize))
		out, isOutput, err := Decode(v)
		require.NoError(t, err)
		require.False(t, isOutput)
		require.EqualValues(t, 5, out.Sequence)
	}
	seen := map[string]bool{}
	for sequence := range uint64(1000) {
		for source := range uint16(3) {
			v := AppendInput(nil, Input{Identity: Identity{source, sequence}}, 100)
			seen[string(v[inputSize:])] = true
			require.False(t, bytes.Equal(v[inputSize:60], make([]byte, 60-inputSize)), "noise, not zeros")
		}
	}
	require.Len(t, seen, 3000)
}
