// Package kafkadisk changes what a stopped broker has on its disk: one implementation for every provider.
//
// A power loss is simulated as fairly as files allow: every log is cut, at a batch's boundary, where it had reached the
// disk; indexes and producer snapshots past the cut are removed, and so is the mark of a clean shutdown; checkpoints are
// capped. The metadata log is flushed before it commits, and stays whole.
package kafkadisk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
)

const (
	metadataTopic     = "__cluster_metadata"
	cleanShutdownFile = ".kafka_cleanshutdown"
	recoveryPoints    = "recovery-point-offset-checkpoint"
)

// capped are the checkpoints that must not name offsets past the end of a log.
var capped = []string{recoveryPoints, "replication-offset-checkpoint", "log-start-offset-checkpoint"}

// logDir is the name of a partition's folder; those that Kafka is deleting or moving end otherwise.
var logDir = regexp.MustCompile(`^(.+)-(\d+)$`)

// Cut changes a data folder (log.dirs of a stopped broker) as a power loss would. It returns what each log lost, sorted by
// topic and partition.
func Cut(data string, cut harness.LogCut) ([]harness.CutLog, error) {
	ends, err := endsOf(data, cut)
	if err != nil {
		return nil, err
	}
	logs, err := partitionLogs(data)
	if err != nil {
		return nil, err
	}
	var lost []harness.CutLog
	to := map[ask.TopicPartition]int64{}
	for _, l := range logs {
		from, now, err := l.cutTo(ends[l.TopicPartition])
		if err != nil {
			return nil, fmt.Errorf("cut the log of %s-%d: %w", l.Topic, l.Partition, err)
		}
		if to[l.TopicPartition] = now; now < from {
			lost = append(lost, harness.CutLog{Topic: l.Topic, Partition: l.Partition, From: from, To: now})
		}
	}
	for _, name := range capped {
		if err := capCheckpoint(filepath.Join(data, name), to); err != nil {
			return nil, err
		}
	}
	if err := os.Remove(filepath.Join(data, cleanShutdownFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return lost, nil
}

// endsOf is where every log had reached the disk; a log that is missing had not reached it at all.
func endsOf(data string, cut harness.LogCut) (map[ask.TopicPartition]int64, error) {
	if cut.Checkpoint {
		return readCheckpoint(filepath.Join(data, recoveryPoints))
	}
	ends := map[ask.TopicPartition]int64{}
	for _, e := range cut.Ends {
		ends[ask.TopicPartition{Topic: e.Topic, Partition: e.Partition}] = e.Offset
	}
	return ends, nil
}

// partitionLogs lists the logs of a data folder without the metadata log, sorted.
func partitionLogs(data string) ([]partitionLog, error) {
	entries, err := os.ReadDir(data)
	if err != nil {
		return nil, err
	}
	var logs []partitionLog
	for _, e := range entries {
		name := logDir.FindStringSubmatch(e.Name())
		if !e.IsDir() || name == nil || name[1] == metadataTopic {
			continue
		}
		partition, err := strconv.ParseInt(name[2], 10, 32)
		if err != nil {
			continue
		}
		logs = append(logs, partitionLog{TopicPartition: ask.TopicPartition{Topic: name[1], Partition: int32(partition)}, dir: filepath.Join(data, e.Name())})
	}
	slices.SortFunc(logs, func(a, b partitionLog) int { return a.Compare(b.TopicPartition) })
	return logs, nil
}
