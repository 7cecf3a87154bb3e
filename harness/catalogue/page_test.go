package catalogue

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThePageOfExperimentsIsCurrent(t *testing.T) {
	got, err := Page()
	require.NoError(t, err)
	path := filepath.Join("..", "..", "docs", "EXPERIMENTS.md")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "the catalogue has changed: go test ./harness/catalogue -update")
}
