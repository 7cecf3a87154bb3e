package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const printed = `goos: linux
cpu: A processor
BenchmarkVerify-2   	       5	        22.50 MiB-10M	        21.50 MiB-1M	         1.000 MiB-growth	   9500000 records/s
BenchmarkReadBack/100B-2  	3	 2.5 ratio	 8000000 records/s
BenchmarkNew-2  	3	 7 things/op
BenchmarkPipelines/acks1-2  	1	 300000 records/s	 1.000 ratio	 22.00 ms-p50	 31.00 ms-p99
BenchmarkPipelines/transactional-2  	1	 9000 records/s	 0.250 ratio	 40.00 ms-p50	 75.00 ms-p99
PASS
ok  	somewhere	1.5s
`

// TestTable: figures come with their limits, missing ones are named, and what no line asks for is
// shown all the same.
func TestTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "published", "bench.md")
	var out strings.Builder
	require.NoError(t, run(strings.NewReader(printed), &out, path))
	require.Contains(t, out.String(), "BenchmarkNew-2", "lines are shown as they come")
	page, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, want := range []string{
		"| re-verify a saved run of 10 M records, records/s | 9.50 M | at least 10.00 M | no |",
		"| peak memory at 10 M records, MiB | 22.50 | at most 64.00 | yes |",
		"| read-back 100 B, against the poll loop | 2.50 | at least 2.00 | yes |",
		"| sampler at 12 partitions and 100 ms, % of one core | not measured | at most 1.00 |  |",
		"| New, things/op | 7.00 |  |  |",
		"- A processor, ",
		"| transactional | exactly-once | 9000 | 0.25 | 40.00 | 75.00 |\n| acks1 | at-least-once (producer) | 0.30 M | 1.00 | 22.00 | 31.00 |\n",
	} {
		require.Contains(t, string(page), want)
	}
	require.NotContains(t, string(page), "Pipelines/", "pipelines have a table of their own")
}

func TestFailureIsNotHidden(t *testing.T) {
	err := run(strings.NewReader(printed+"--- FAIL: BenchmarkOther\nFAIL\n"), &strings.Builder{}, "")
	require.ErrorContains(t, err, "a benchmark failed: --- FAIL: BenchmarkOther")
}

func TestLinesAreNamedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, l := range lines {
		require.False(t, seen[l.what], l.what)
		require.False(t, seen[l.bench+" "+l.unit], l.what)
		seen[l.what], seen[l.bench+" "+l.unit] = true, true
	}
}
