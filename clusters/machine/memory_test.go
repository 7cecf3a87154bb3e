package machine

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
)

func host(t *testing.T, meminfo string) Host {
	t.Helper()
	h := Host{t.TempDir(), t.TempDir()}
	write(t, h.Proc, "meminfo", meminfo)
	return h
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

const plenty = "MemAvailable:   16777216 kB\n"

// TestMemoryOfAGroup: what bounds the process is the tightest of its control groups, of either version.
func TestMemoryOfAGroup(t *testing.T) {
	const gib = 1 << 30
	for name, c := range map[string]struct {
		files map[string]string
		mine  string
		want  uint64
	}{
		"no group": {nil, "", 16 * gib},
		"version 2, cache given back": {map[string]string{
			"pod/memory.max": "2147483648\n", "pod/memory.current": "1610612736\n", "pod/memory.stat": "anon 1\ninactive_file 1073741824\n",
		}, "0::/pod\n", 2*gib - gib/2},
		"version 2, a tighter group above": {map[string]string{
			"a/memory.max": "1073741824\n", "a/memory.current": "0\n", "a/b/memory.max": "max\n", "a/b/memory.current": "5\n",
		}, "0::/a/b\n", gib},
		"version 2, in a container": {map[string]string{"memory.max": "3221225472\n", "memory.current": "0\n"}, "0::/host/path\n", 3 * gib},
		"version 1": {map[string]string{
			"memory/x/memory.limit_in_bytes": "1610612736\n", "memory/x/memory.usage_in_bytes": "536870912\n",
		}, "5:memory:/x\n3:cpu:/y\n", gib},
		"version 1, unbounded":   {map[string]string{"memory/memory.limit_in_bytes": "9223372036854771712\n"}, "5:memory:/\n", 16 * gib},
		"more used than allowed": {map[string]string{"memory.max": "100\n", "memory.current": "500\n"}, "0::/\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			h := host(t, plenty)
			write(t, h.Proc, "self/cgroup", c.mine)
			for file, text := range c.files {
				write(t, h.Cgroups, file, text)
			}
			got, err := h.Available()
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestMemory(t *testing.T) {
	small := host(t, "MemTotal:       16000000 kB\nMemAvailable:    1048576 kB\n")
	var short *MemoryError
	require.ErrorAs(t, small.CheckMemory(harness.Topology{}), &short)
	require.ErrorContains(t, short, "a run on 3 brokers takes about 1.9 GiB, and 1.0 GiB are available")
	require.NoError(t, host(t, "MemAvailable:    2097152 kB\n").CheckMemory(harness.Topology{}))
	require.Error(t, host(t, "MemAvailable:    4194304 kB\n").CheckMemory(harness.Topology{Brokers: 9, Controllers: 5}))
	require.NoError(t, Host{"/nowhere", "/nowhere"}.CheckMemory(harness.Topology{}), "nothing is known")
	_, err := host(t, "MemFree: 1 kB\n").Available()
	require.Error(t, err)
}
