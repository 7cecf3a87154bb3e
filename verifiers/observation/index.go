package observation

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/files"
	"github.com/chaeos/chaeos/harness/history"
)

// Folder is the read-back's folder inside a run's; IndexFile the index's name in it.
const (
	Folder    = "readback"
	IndexFile = "readback.json"
)

// Index is what the brokers said of every partition while it was read back, and how far the reading came.
type Index struct {
	Version    int           `json:"version"`
	Run        history.RunID `json:"run"`
	Partitions []Partition   `json:"partitions"`
	Positions  []Position    `json:"positions"`
	// Failures are reasons why the read-back as a whole is incomplete ("" interrupted, no positions).
	Failures []string `json:"failures,omitempty"`
	// Replicas is nil if the other replicas of the logs were not compared: the version that read them back did not, or it was
	// interrupted.
	Replicas *ReplicasRead `json:"replicas,omitempty"`
	// Finished means that the read-back ran to its end, whatever it found.
	Finished bool `json:"finished"`
}

// Partition is one topic-partition of the read-back.
type Partition struct {
	Topic       string `json:"topic"`
	Partition   int32  `json:"partition"`
	Leader      int32  `json:"leader"`
	LeaderEpoch int32  `json:"leaderEpoch"`
	LogStart    int64  `json:"logStart"`
	// HW and LSO are the captured ends; HWAfter and LSOAfter the same asked again once everything was read.
	HW       int64 `json:"hw"`
	LSO      int64 `json:"lso"`
	HWAfter  int64 `json:"hwAfter"`
	LSOAfter int64 `json:"lsoAfter"`
	// Writer names who moved the end meanwhile.
	Writer string `json:"writer,omitempty"`
	// Reached is the last read batch's last offset + 1; the partition is complete when it is HW.
	Reached  int64  `json:"reached"`
	Complete bool   `json:"complete"`
	Failure  string `json:"failure,omitempty"`
	Batches  uint64 `json:"batches"`
	Records  uint64 `json:"records"`
	// Aborted is derived from the control records, BrokerAborted is what Fetch at isolation level 1 listed.
	Aborted       []Aborted `json:"aborted,omitempty"`
	BrokerAborted []Aborted `json:"brokerAborted,omitempty"`
	Open          []OpenTxn `json:"open,omitempty"`
	// Committed is what the log says a read_committed reader must see; Client is what a real one saw. Where the logs were too
	// large for that, Checked are the ranges that it read, and Client is empty.
	Committed Sum     `json:"committed"`
	Client    Sum     `json:"client"`
	Checked   []Range `json:"checked,omitempty"`
	ClientErr string  `json:"clientError,omitempty"`
	// Replicas are the log's other replicas.
	Replicas []Replica `json:"replicas,omitempty"`
}

// Range is a part of a log, from one offset to below another: what the log says a read_committed reader must see of it,
// and what a real one saw.
type Range struct {
	From      int64 `json:"from"`
	To        int64 `json:"to"`
	Committed Sum   `json:"committed"`
	Client    Sum   `json:"client"`
}

// Aborted is one aborted transaction of a partition: its producer, its first record's and its marker's offset. The
// brokers' own lists don't give the marker (Last is then -1).
type Aborted struct {
	ProducerID int64 `json:"producerID"`
	First      int64 `json:"first"`
	Last       int64 `json:"last"`
}

// OpenTxn is a transaction that was still open after everything had settled.
type OpenTxn struct {
	ProducerID      int64  `json:"producerID"`
	ProducerEpoch   int32  `json:"producerEpoch"`
	Start           int64  `json:"start"`
	LastTimestamp   int64  `json:"lastTimestamp"`
	TransactionalID string `json:"transactionalID,omitempty"`
	State           string `json:"state,omitempty"`
	Coordinator     int32  `json:"coordinator"`
	TimeoutMillis   int32  `json:"timeoutMillis,omitempty"`
	StartMillis     int64  `json:"startMillis,omitempty"`
	// AskedMillis is the wall clock when the brokers answered: the transaction's age is the difference to its start.
	AskedMillis int64 `json:"askedMillis,omitempty"`
}

// Sum is a number of records and an order-insensitive hash of their offsets and values.
type Sum struct {
	Count uint64 `json:"count"`
	Hash  string `json:"hash"`
}

// Position is a group's committed next offset of one input partition, as OffsetFetch with RequireStable returned it
// (-1: none committed).
type Position struct {
	Group     string `json:"group"`
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Offset    int64  `json:"offset"`
}

// File is a partition's observation file inside dir, a run's folder.
func File(dir, topic string, partition int32) string {
	return filepath.Join(dir, Folder, topic+"-"+strconv.Itoa(int(partition))+".obs")
}

// Save writes the index into dir, a run's folder.
func (x *Index) Save(dir string) error {
	x.Version = Version
	return harness.WriteJSON(filepath.Join(dir, Folder, IndexFile), x)
}

// LoadIndex reads the index of a run's folder. It returns nil without an error where there is none: the run never came
// to its read-back.
func LoadIndex(dir string) (*Index, error) {
	path := filepath.Join(dir, Folder, IndexFile)
	data, err := files.ReadBounded(path, 256<<20)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read-back: %w", err)
	}
	var x Index
	if err := json.Unmarshal(data, &x); err != nil {
		return nil, fmt.Errorf("read-back %s: %w", path, err)
	}
	if x.Version < oldest || x.Version > Version {
		return nil, fmt.Errorf("read-back %s: version %d; this chaeos reads versions %d to %d", path, x.Version, oldest, Version)
	}
	return &x, nil
}

// Partition returns the entry of a topic's partition, or nil.
func (x *Index) Partition(topic string, partition int32) *Partition {
	for i := range x.Partitions {
		if p := &x.Partitions[i]; p.Topic == topic && p.Partition == partition {
			return p
		}
	}
	return nil
}
