package machine

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
)

func meminfo(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "meminfo")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestMemory(t *testing.T) {
	small := meminfo(t, "MemTotal:       16000000 kB\nMemAvailable:    1048576 kB\n")
	var short *MemoryError
	require.ErrorAs(t, CheckMemory(harness.Topology{}, small), &short)
	require.ErrorContains(t, short, "a run on 3 brokers takes about 1.9 GiB, and 1.0 GiB are available")
	require.NoError(t, CheckMemory(harness.Topology{}, meminfo(t, "MemAvailable:    2097152 kB\n")))
	require.Error(t, CheckMemory(harness.Topology{Brokers: 9, Controllers: 5}, meminfo(t, "MemAvailable:    4194304 kB\n")))
	require.NoError(t, CheckMemory(harness.Topology{}, "/nowhere"), "nothing is known")
	_, err := Available(meminfo(t, "MemFree: 1 kB\n"))
	require.Error(t, err)
}
