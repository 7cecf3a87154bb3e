package harness

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/chaeos/chaeos/harness/files"
	"github.com/chaeos/chaeos/harness/history"
)

// RecordVersion is the version of run.json and of the run folder's layout.
const RecordVersion = 1

// RecordFile is the run record's name in a run's folder.
const RecordFile = "run.json"

// RunRecord is everything that is needed to repeat a run, and to judge it again without a cluster.
type RunRecord struct {
	Version int    `json:"version"`
	Chaeos  string `json:"chaeos"`
	// Name is the run folder's name; the run id in every record derives from it.
	Name       string        `json:"name"`
	RunID      history.RunID `json:"runID"`
	Experiment string        `json:"experiment"`
	// Source is the experiment's YAML; Overrides are the flags that changed it.
	Source    string            `json:"source"`
	Overrides map[string]string `json:"overrides,omitempty"`
	// KafkaHome is the directory that the brokers' jars were taken from ("": they were fetched, in Cluster's version).
	KafkaHome string        `json:"kafkaHome,omitempty"`
	Seed      uint64        `json:"seed"`
	Rate      float64       `json:"rate"`
	Duration  time.Duration `json:"duration"`
	Workers   int           `json:"workers"`
	Shared    Shared        `json:"shared"`
	// Started is the one wall-clock stamp; Base is the monotonic time of the same moment.
	Started time.Time    `json:"started"`
	Base    history.Time `json:"base"`
	// LoadStart is when the load phase began: the schedule's zero (0: it never began).
	LoadStart history.Time  `json:"loadStart"`
	Took      time.Duration `json:"took"`
	Machine   string        `json:"machine"`
	Cluster   ClusterInfo   `json:"cluster"`
	Features  []Feature     `json:"features"`
	// Asked are the feature levels that the experiment or a flag asked for; Features has all of them, as the brokers report them.
	Asked []Feature `json:"asked,omitempty"`
	// Properties are the broker properties that the experiment or a flag set.
	Properties map[string]string                    `json:"properties,omitempty"`
	Plan       TopicPlan                            `json:"plan"`
	Expect     map[string]map[Guarantee]Expectation `json:"expect"`
	// Limits are what the experiment expects of figures, by pipeline.
	Limits    map[string][]Limit `json:"limits,omitempty"`
	Bounds    Bounds             `json:"bounds"`
	Faults    []FaultRecord      `json:"faults"`
	Phases    []PhaseRecord      `json:"phases"`
	Histories []HistoryRecord    `json:"histories"`
	// Incidents are unplanned: a broker that died, a full disk, an interrupt. Each makes the run inconclusive.
	Incidents []string `json:"incidents,omitempty"`
	// LargestTransactionTimeout is the largest transaction timeout that any client of the run used.
	LargestTransactionTimeout time.Duration `json:"largestTransactionTimeout"`
	// Digested reports whether the run wrote a digest of its folder (DigestFile): older runs did not.
	Digested bool `json:"digested,omitempty"`
}

// PhaseRecord is one phase of the run.
type PhaseRecord struct {
	Name  string       `json:"name"`
	Start history.Time `json:"start"`
	End   history.Time `json:"end"`
	Error string       `json:"error,omitempty"`
	Note  string       `json:"note,omitempty"`
}

// HistoryRecord is one history file of a run.
type HistoryRecord struct {
	// File is relative to the run's folder.
	File        string `json:"file"`
	Process     string `json:"process"`
	Role        string `json:"role"`
	Pipeline    string `json:"pipeline,omitempty"`
	Number      int    `json:"number"`
	Incarnation int    `json:"incarnation"`
	// Bytes is the file's size when its writer had been reaped: if the file is shorter later, something is lost.
	Bytes int64 `json:"bytes"`
	// Killed reports whether the run killed the writer, so that a missing End entry is no loss.
	Killed bool `json:"killed"`
}

// Zero is what every time is shown from: the start of the load, or of the run where the load never began.
func (r *RunRecord) Zero() history.Time { return cmp.Or(r.LoadStart, r.Base) }

// Save writes run.json into dir, whole or not at all.
func (r *RunRecord) Save(dir string) error { return WriteJSON(filepath.Join(dir, RecordFile), r) }

// LoadRecord reads a run folder's run.json.
func LoadRecord(dir string) (*RunRecord, error) {
	path := filepath.Join(dir, RecordFile)
	data, err := files.ReadBounded(path, 64<<20)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s is not a run's folder: it has no %s", dir, RecordFile)
	}
	if err != nil {
		return nil, fmt.Errorf("run record: %w", err)
	}
	var r RunRecord
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("run record %s: %w", path, err)
	}
	if r.Version != RecordVersion {
		return nil, fmt.Errorf("run record %s: version %d; this chaeos reads version %d", path, r.Version, RecordVersion)
	}
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("run record %s: %w: use a folder as chaeos run left it", path, err)
	}
	return &r, nil
}

// The most that a run has of something: a record from elsewhere must not make its reader allocate the machine.
const (
	mostPartitions = 1000
	mostWorkers    = 1000
	// mostAway is how far an entry's time can be from the start of the load.
	mostAway = 2 * MaxDuration
)

// check refuses what no run has.
func (r *RunRecord) check() error {
	switch {
	case r.Plan.Partitions < 0 || r.Plan.Partitions > mostPartitions:
		return fmt.Errorf("plan.partitions is %d, no run has more than %d", r.Plan.Partitions, mostPartitions)
	case r.Workers < 0 || r.Workers > mostWorkers:
		return fmt.Errorf("workers is %d, no run begins with more than %d", r.Workers, mostWorkers)
	}
	for _, h := range r.Histories {
		if !filepath.IsLocal(h.File) {
			return fmt.Errorf("the history %q is outside the folder", h.File)
		}
	}
	return nil
}

// Away reports whether a moment is too far from the load for any run: what counts time in buckets leaves it out.
func (r *RunRecord) Away(at history.Time) bool {
	zero := r.Zero()
	return at < zero-history.Time(mostAway) || at > zero+history.Time(mostAway)
}

// WriteJSON writes v to path, whole or not at all.
func WriteJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := files.ReplaceBytes(path, append(data, '\n')); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
