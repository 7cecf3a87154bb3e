package kafkadisk

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/chaeos/chaeos/harness/ask"
)

// partitionLog is one partition's folder: segments, each a .log file named after its first offset, with its indexes.
type partitionLog struct {
	ask.TopicPartition
	dir string
}

// cutTo removes everything from the first batch on that reaches past end, and returns where the log ended before and
// where it does now. A log never ends before its first segment begins.
func (l partitionLog) cutTo(end int64) (from, to int64, err error) {
	bases, err := l.segments()
	if err != nil || len(bases) == 0 {
		return 0, 0, err
	}
	if from, _, err = walk(l.file(bases[len(bases)-1], ".log"), bases[len(bases)-1], noEnd); err != nil {
		return 0, 0, err
	}
	if from <= end {
		return from, from, nil
	}
	to = bases[0]
	for i, base := range bases {
		if i > 0 && base >= end {
			if err := l.remove(base); err != nil {
				return 0, 0, err
			}
			continue
		}
		now, size, err := walk(l.file(base, ".log"), base, end)
		if err != nil {
			return 0, 0, err
		}
		to = now
		if err := l.truncate(base, size); err != nil {
			return 0, 0, err
		}
	}
	return from, to, l.dropSnapshots(to)
}

// segments lists the first offsets of a log's segments, ascending.
func (l partitionLog) segments() ([]int64, error) {
	files, err := filepath.Glob(filepath.Join(l.dir, "*.log"))
	if err != nil {
		return nil, err
	}
	var bases []int64
	for _, f := range files {
		base, err := strconv.ParseInt(strings.TrimSuffix(filepath.Base(f), ".log"), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("unexpected file %s", f)
		}
		bases = append(bases, base)
	}
	slices.Sort(bases)
	return bases, nil
}

func (l partitionLog) file(base int64, suffix string) string {
	return filepath.Join(l.dir, fmt.Sprintf("%020d%s", base, suffix))
}

// indexes are rebuilt by the broker from the log if they are missing.
var indexes = []string{".index", ".timeindex", ".txnindex"}

func (l partitionLog) remove(base int64) error {
	return errors.Join(removeIfThere(l.file(base, ".log")), l.removeIndexes(base))
}

func (l partitionLog) removeIndexes(base int64) error {
	var errs []error
	for _, suffix := range indexes {
		errs = append(errs, removeIfThere(l.file(base, suffix)))
	}
	return errors.Join(errs...)
}

// truncate cuts a segment's file. If it stays whole, it keeps its indexes.
func (l partitionLog) truncate(base, size int64) error {
	info, err := os.Stat(l.file(base, ".log"))
	if err != nil || info.Size() == size {
		return err
	}
	if err := os.Truncate(l.file(base, ".log"), size); err != nil {
		return err
	}
	return l.removeIndexes(base)
}

// dropSnapshots removes producer states of offsets past the log's end.
func (l partitionLog) dropSnapshots(end int64) error {
	files, err := filepath.Glob(filepath.Join(l.dir, "*.snapshot"))
	if err != nil {
		return err
	}
	for _, f := range files {
		offset, err := strconv.ParseInt(strings.TrimSuffix(filepath.Base(f), ".snapshot"), 10, 64)
		if err == nil && offset > end {
			if err := removeIfThere(f); err != nil {
				return err
			}
		}
	}
	return nil
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

const (
	noEnd = int64(1<<63 - 1)
	// A batch begins with its first offset (8 bytes) and the length of what follows (4); its last offset's distance from
	// the first is at byte 23 (Kafka, DefaultRecordBatch).
	lengthAt, deltaAt, headerSize = 8, 23, 27
	overhead                      = 12
)

// walk goes over a segment's batches as long as they end at or below end, and returns the offset after the last of them
// and its position in the file. A batch that the file ends in does not count.
func walk(path string, base, end int64) (next, position int64, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return 0, 0, err
	}
	next = base
	var header [headerSize]byte
	for {
		_, err := file.ReadAt(header[:], position)
		if errors.Is(err, io.EOF) {
			return next, position, nil
		}
		if err != nil {
			return 0, 0, err
		}
		length := int64(int32(binary.BigEndian.Uint32(header[lengthAt:])))
		after := position + overhead + length
		if length < headerSize-overhead || after > info.Size() {
			return next, position, nil
		}
		last := int64(binary.BigEndian.Uint64(header[:])) + int64(int32(binary.BigEndian.Uint32(header[deltaAt:])))
		if last >= end {
			return next, position, nil
		}
		next, position = last+1, after
	}
}
