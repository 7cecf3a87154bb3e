package kafkadisk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A checkpoint of offsets is text: a version (0), the number of entries, then "topic partition offset" on each line
// (Kafka, OffsetCheckpointFile).

// readCheckpoint reads one; a file that isn't there has no entries.
func readCheckpoint(path string) (map[key]int64, error) {
	offsets := map[key]int64{}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return offsets, nil
	}
	if err != nil {
		return nil, err
	}
	if len(text) == 0 { // as a broker makes it before it first writes it
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
		offsets[key{fields[0], int32(partition)}] = offset
	}
	return offsets, nil
}

// capCheckpoint lowers every offset of a checkpoint to where its log ends now.
func capCheckpoint(path string, ends map[key]int64) error {
	offsets, err := readCheckpoint(path)
	if err != nil || len(offsets) == 0 {
		return err
	}
	lines := make([]string, 0, len(offsets))
	for k, offset := range offsets {
		if end, ok := ends[k]; ok {
			offset = min(offset, end)
		}
		lines = append(lines, fmt.Sprintf("%s %d %d", k.topic, k.partition, offset))
	}
	slices.Sort(lines)
	text := fmt.Sprintf("0\n%d\n%s\n", len(lines), strings.Join(lines, "\n"))
	return os.WriteFile(path, []byte(text), 0o644)
}
