package kafkadisk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/chaeos/chaeos/harness/ask"
)

// A checkpoint of offsets is text: a version (0), the number of entries, then "topic partition offset" on each line
// (Kafka, OffsetCheckpointFile).

// readCheckpoint reads one; a missing file has no entries.
func readCheckpoint(path string) (map[ask.TopicPartition]int64, error) {
	offsets := map[ask.TopicPartition]int64{}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return offsets, nil
	}
	if err != nil {
		return nil, err
	}
	if len(text) == 0 { // a broker makes it empty, and writes it later
		return offsets, nil
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) < 2 || lines[0] != "0" {
		return nil, fmt.Errorf("%s: not a checkpoint of version 0", path)
	}
	for _, line := range lines[2:] {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			return nil, fmt.Errorf("%s: unexpected line %q", path, line)
		}
		partition, err := strconv.ParseInt(fields[1], 10, 32)
		offset, err2 := strconv.ParseInt(fields[2], 10, 64)
		if err := errors.Join(err, err2); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		offsets[ask.TopicPartition{Topic: fields[0], Partition: int32(partition)}] = offset
	}
	return offsets, nil
}

// capCheckpoint lowers every offset of a checkpoint to where its log ends now.
func capCheckpoint(path string, ends map[ask.TopicPartition]int64) error {
	offsets, err := readCheckpoint(path)
	if err != nil || len(offsets) == 0 {
		return err
	}
	lines := make([]string, 0, len(offsets))
	for k, offset := range offsets {
		if end, ok := ends[k]; ok {
			offset = min(offset, end)
		}
		lines = append(lines, fmt.Sprintf("%s %d %d", k.Topic, k.Partition, offset))
	}
	slices.Sort(lines)
	text := fmt.Sprintf("0\n%d\n%s\n", len(lines), strings.Join(lines, "\n"))
	return os.WriteFile(path, []byte(text), 0o644)
}
