package jepsen

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/chaeos/chaeos/verifiers/observation"
)

// chunkRecords is how many records of a log are in memory at once, or one batch's.
const chunkRecords = 2048

// log is one log as it was read back, for reading at any place: an entry for each chunk, and one chunk of records.
type log struct {
	key    int32
	path   string
	chunks []chunk
	aborts *observation.Aborts
	// stable is where records begin that no read_committed reader is given yet.
	stable int64
	// records are those of the chunk at, -1 none.
	records []stored
	at      int
}

// chunk is some batches of the file.
type chunk struct {
	// first is the offset at which its first batch begins, place where that is in the file.
	first, place int64
	batches      int
}

// stored is a record of a log, whether a read_committed reader is given it, and when the newest record of its batch was
// made, in milliseconds of the wall clock.
type stored struct {
	observation.Record
	visible bool
	made    int64
}

// openLog reads a log's headers. A log that was never read back is empty.
func openLog(dir string, info *observation.Partition, topic string, partition, key int32) (*log, error) {
	l := &log{key: key, path: observation.File(dir, topic, partition), at: -1}
	var txns observation.Transactions
	left := 0
	_, _, err := observation.ReadFile(l.path, true, func(b *observation.Batch) error {
		txns.Add(b)
		if left <= 0 {
			l.chunks = append(l.chunks, chunk{first: b.First, place: b.Place})
			left = chunkRecords
		}
		l.chunks[len(l.chunks)-1].batches++
		left -= int(b.Count)
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	l.aborts = observation.NewAborts(txns.Aborted())
	if info != nil {
		l.stable = info.LSO
	}
	if open := txns.Open(); len(open) > 0 {
		l.stable = min(l.stable, open[0].Start)
	}
	return l, err
}

// each calls fn with the data records whose offsets are in [from, to), in order, and returns fn's first error. The record
// is the log's: fn may not read the log.
func (l *log) each(from, to int64, fn func(*stored) error) error {
	i, found := slices.BinarySearchFunc(l.chunks, from, func(c chunk, at int64) int { return compare(c.first, at) })
	if !found {
		i = max(0, i-1)
	}
	for ; i < len(l.chunks) && l.chunks[i].first < to; i++ {
		if err := l.load(i); err != nil {
			return err
		}
		first, _ := slices.BinarySearchFunc(l.records, from, func(s stored, at int64) int { return compare(s.Offset, at) })
		for j := first; j < len(l.records) && l.records[j].Offset < to; j++ {
			if err := fn(&l.records[j]); err != nil {
				return err
			}
		}
	}
	return nil
}

// all calls fn with every data record.
func (l *log) all(fn func(*stored) error) error { return l.each(0, int64(^uint64(0)>>1), fn) }

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (l *log) load(i int) error {
	if l.at == i {
		return nil
	}
	l.at, l.records = -1, l.records[:0]
	err := observation.ReadSpansFrom(l.path, l.chunks[i].place, l.chunks[i].batches, func(b *observation.Batch) {
		if b.Control || b.Damaged {
			return
		}
		visible := b.First < l.stable && !l.aborts.Has(b)
		for r := range b.Spans {
			for n := range b.Spans[r].Count {
				l.records = append(l.records, stored{b.Spans[r].At(n), visible, b.MaxTimestamp})
			}
		}
	})
	if err == nil {
		l.at = i
	}
	return err
}
