package catalogue

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness/golden"
)

func TestThePageOfExperimentsIsCurrent(t *testing.T) {
	got, err := Page()
	require.NoError(t, err)
	golden.Equal(t, filepath.Join("..", "..", "docs", "EXPERIMENTS.md"), got)
}
