package files

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadBounded(t *testing.T) {
	for _, path := range []string{"/dev/zero", t.TempDir()} {
		_, err := ReadBounded(path, 10)
		require.ErrorContains(t, err, "not a regular file")
	}
	_, err := ReadBounded("read.go", 10)
	require.ErrorContains(t, err, "the most that is read")
}
