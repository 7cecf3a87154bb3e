package causes

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
)

// TestNoOffsetIsBelowAndAboveTheHighWatermark: notes on what was cut off share no offset.
func TestNoOffsetIsBelowAndAboveTheHighWatermark(t *testing.T) {
	below := harness.Truncation{Topic: "out", From: 1015, To: 1282, NewEpoch: 3, SeenBy: seenByWatermark, Committed: true}
	end := func(from, to int64) harness.Truncation {
		return harness.Truncation{Topic: "out", From: from, To: to, NewEpoch: 3, SeenBy: seenByLogEnd}
	}
	for _, c := range []struct {
		above harness.Truncation
		want  string
	}{
		{end(1015, 1282), ""},
		{end(1015, 1286), "out/0: offsets 1282 to 1285 were in the leader's log, above the high watermark"},
		{end(1300, 1310), "out/0: offsets 1300 to 1309 were in the leader's log, above the high watermark"},
	} {
		notes := Truncations{0: {below, c.above}}.notes()
		require.Contains(t, notes[0], "out/0: offsets 1015 to 1281 were below the high watermark")
		if c.want == "" {
			require.Len(t, notes, 1)
			continue
		}
		require.Len(t, notes, 2)
		require.Contains(t, notes[1], c.want)
	}
	alone := Truncations{0: {end(5, 9)}}.notes()
	require.Len(t, alone, 1)
	require.Contains(t, alone[0], "offsets 5 to 8 were in the leader's log")
}
