package kafkadisk

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
)

// batch is a record batch's header with a body of noise.
func batch(first int64, records int) []byte {
	b := make([]byte, 100)
	binary.BigEndian.PutUint64(b, uint64(first))
	binary.BigEndian.PutUint32(b[lengthAt:], uint32(len(b)-overhead))
	binary.BigEndian.PutUint32(b[deltaAt:], uint32(records-1))
	return b
}

// writeLog makes a partition's folder with batches of ten records, ten a segment, up to end; the last one cut short if torn is set.
func writeLog(t *testing.T, data, name string, end int64, torn bool) string {
	t.Helper()
	dir := filepath.Join(data, name)
	require.NoError(t, os.MkdirAll(dir, 0o755))
	for base := int64(0); base < end; base += 100 {
		var segment []byte
		for first := base; first < min(base+100, end); first += 10 {
			segment = append(segment, batch(first, 10)...)
		}
		if torn && base+100 >= end {
			segment = append(segment, batch(end, 10)[:40]...)
		}
		for _, suffix := range append([]string{".log"}, indexes...) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%020d%s", base, suffix)), segment, 0o644))
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%020d.snapshot", base)), nil, 0o644))
	}
	return dir
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

func TestLogsAreCutAtBatchBoundaries(t *testing.T) {
	for end, want := range map[int64]int64{250: 250, 255: 250, 200: 200, 9: 0, 0: 0, 300: 300, 9999: 300} {
		data := t.TempDir()
		dir := writeLog(t, data, "out-0", 300, true)
		lost, err := Cut(data, harness.LogCut{Ends: []harness.LogEnd{{Topic: "out", Partition: 0, Offset: end}}})
		require.NoError(t, err)
		if want == 300 {
			assert.Empty(t, lost, "nothing is lost of what was on disk")
			continue
		}
		assert.Equal(t, []harness.CutLog{{Topic: "out", Partition: 0, From: 300, To: want}}, lost)
		next, _, err := walk(filepath.Join(dir, fmt.Sprintf("%020d.log", max(0, (want-1)/100*100))), max(0, (want-1)/100*100), noEnd)
		require.NoError(t, err)
		assert.Equal(t, want, next, "the log ends there")
		for _, name := range names(t, dir) {
			var offset int64
			_, err := fmt.Sscanf(name, "%020d.snapshot", &offset)
			if filepath.Ext(name) == ".snapshot" {
				require.NoError(t, err)
				assert.LessOrEqual(t, offset, want, "producer states past the cut are gone")
			}
		}
	}
}

func TestWhatIsCutHasNoIndexesAndWhatIsWholeKeepsThem(t *testing.T) {
	data := t.TempDir()
	dir := writeLog(t, data, "out-0", 300, false)
	_, err := Cut(data, harness.LogCut{Ends: []harness.LogEnd{{Topic: "out", Partition: 0, Offset: 150}}})
	require.NoError(t, err)
	assert.Equal(t, []string{
		"00000000000000000000.index", "00000000000000000000.log", "00000000000000000000.snapshot", "00000000000000000000.timeindex",
		"00000000000000000000.txnindex", "00000000000000000100.log", "00000000000000000100.snapshot",
	}, names(t, dir))
}

func TestCheckpointModeCapsAndLeavesTheMetadataLog(t *testing.T) {
	data := t.TempDir()
	writeLog(t, data, "a.b-c-12", 300, false)
	writeLog(t, data, "new-0", 50, false)
	writeLog(t, data, "__cluster_metadata-0", 300, false)
	writeLog(t, data, "gone-0.1234-delete", 300, false)
	write(t, filepath.Join(data, recoveryPoints), "0\n2\na.b-c 12 200\nnew 0 0\n")
	write(t, filepath.Join(data, "replication-offset-checkpoint"), "0\n2\na.b-c 12 290\nnew 0 50\n")
	write(t, filepath.Join(data, "log-start-offset-checkpoint"), "")
	write(t, filepath.Join(data, cleanShutdownFile), "{}")
	lost, err := Cut(data, harness.LogCut{Checkpoint: true})
	require.NoError(t, err)
	assert.Equal(t, []harness.CutLog{
		{Topic: "a.b-c", Partition: 12, From: 300, To: 200}, {Topic: "new", Partition: 0, From: 50, To: 0},
	}, lost)
	text, err := os.ReadFile(filepath.Join(data, "replication-offset-checkpoint"))
	require.NoError(t, err)
	assert.Equal(t, "0\n2\na.b-c 12 200\nnew 0 0\n", string(text))
	assert.NotContains(t, names(t, data), cleanShutdownFile)
	info, err := os.Stat(filepath.Join(data, "__cluster_metadata-0", "00000000000000000200.log"))
	require.NoError(t, err)
	assert.EqualValues(t, 1000, info.Size(), "whole")
}

func TestFilesThatMakeNoSenseAreErrors(t *testing.T) {
	data := t.TempDir()
	write(t, filepath.Join(data, recoveryPoints), "7\n1\na 0 0\n")
	_, err := Cut(data, harness.LogCut{Checkpoint: true})
	require.ErrorContains(t, err, "not a checkpoint of version 0")
	write(t, filepath.Join(data, recoveryPoints), "0\n1\na zero 0\n")
	_, err = Cut(data, harness.LogCut{Checkpoint: true})
	require.Error(t, err)
}
