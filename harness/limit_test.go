package harness_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	_ "github.com/chaeos/chaeos/verifiers/checks" // declares the figures
)

func TestParseLimit(t *testing.T) {
	for text, want := range map[string]harness.Limit{
		"no progress <= 20s":    {Text: "no progress <= 20s", Number: "noProgress", Most: uint64(20 * time.Second)},
		"NO PROGRESS<=1m30s":    {Text: "no progress <= 1m30s", Number: "noProgress", Most: uint64(90 * time.Second)},
		"noProgress  <=  500ms": {Text: "no progress <= 500ms", Number: "noProgress", Most: uint64(500 * time.Millisecond)},
		"longest stall <= 30s":  {Text: "longest stall <= 30s", Number: "longestStall", Most: uint64(30 * time.Second)},
		"longest <= 0s":         {Text: "longest stall <= 0s", Number: "longestStall"},
		"duplicates <= 5":       {Text: "duplicates <= 5", Number: "duplicates", Most: 5},
		"duplicates >= 1":       {Text: "duplicates >= 1", Number: "duplicates", AtLeast: true, Most: 1},
		"p99 <= 3s":             {Text: "p99 <= 3s", Number: "p99", Most: uint64(3 * time.Second)},
	} {
		got, err := harness.ParseLimit(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for text, says := range map[string]string{
		"duplicate <= 5": "did you mean duplicates", "no progress <= 20": "is no duration", "duplicates <= -1": "is no number", "duplicates <= 5s": "is no number",
		"duplicates < 5": "is no limit", "<= 5": "is no limit", "duplicates <=": "is no limit", "nonsense <= 5": "no figure", "p99 <= -1s": "is no duration",
		"duplicatesBy <= 1": "no figure", "no progress in <= 1": "no figure",
	} {
		_, err := harness.ParseLimit(text)
		require.ErrorContains(t, err, says, text)
	}
}
