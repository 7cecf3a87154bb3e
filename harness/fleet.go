package harness

import (
	"context"

	"github.com/chaeos/chaeos/harness/history"
)

// MemberState is a source's or worker's process state.
type MemberState string

// The states of a member.
const (
	MemberRunning MemberState = "running"
	MemberPaused  MemberState = "paused"
	MemberDead    MemberState = "dead"
)

// Member is a source or worker process as the harness sees it.
type Member struct {
	// Name is the process ("transactional-0", "source-input"), stable over incarnations.
	Name string
	// Role is "worker" or "source".
	Role        string
	Pipeline    string
	Number      int
	Incarnation int
	Pid         int
	State       MemberState
	// Partitions are the input partitions a worker holds now, as it told last.
	Partitions []int32
	// WaitingAt is the armed phase at which the worker waits now ("" when it doesn't).
	WaitingAt string
	// Held counts the records taken and not finished when it began to wait.
	Held uint64
}

// Fleet is a run's sources and workers, each an operating-system process.
type Fleet interface {
	// Start starts every worker and source process. Workers consume; sources send their warm-up once Feed is called.
	Start(ctx context.Context) error
	// Feed makes the sources send at their pace from now until StopSources.
	Feed(ctx context.Context) error
	// StopSources lets the sources end in order: everything sent is settled or recorded as unknown, the process reaped.
	StopSources(ctx context.Context) error
	// StopWorkers lets the workers finish what they hold, commit and leave; it reaps every process, killing at the
	// deadline those that don't end.
	StopWorkers(ctx context.Context) error
	// Members lists all members, sorted by name.
	Members() []Member
	// Offered is the number of records that were offered to a pipeline: acknowledged into its input topic, or, where
	// the source is under test, handed to its client.
	Offered(pipeline string) uint64
	// Acked is the number of records that the pipeline's source was told are stored; of all sources where the pipeline is
	// "". It may lag by a tenth of a second.
	Acked(pipeline string) uint64
	// Kill ends a member's process at once (SIGKILL) and reaps it.
	Kill(ctx context.Context, name string) error
	// Pause and Resume stop and continue a member's process (SIGSTOP, SIGCONT).
	Pause(ctx context.Context, name string) error
	Resume(ctx context.Context, name string) error
	// Restart starts a new incarnation of a dead member.
	Restart(ctx context.Context, name string) error
	// Stop lets one member end in order, and kills it at the deadline.
	Stop(ctx context.Context, name string) error
	// Add starts one more worker of a pipeline, and returns its name.
	Add(ctx context.Context, pipeline string) (string, error)
	// Rename gives a dead member another transactional id for its next incarnation.
	Rename(name string) error
	// Arm tells a worker to wait when it next reaches the phase, ArmAfter after it has passed it so many times; one that
	// waits already goes on. Await returns once it waits there.
	Arm(ctx context.Context, name, phase string) error
	ArmAfter(ctx context.Context, name, phase string, passes uint64) error
	Await(ctx context.Context, name string) error
	// Release disarms a worker and lets it go on.
	Release(ctx context.Context, name string) error
	// Incidents lists members that ended without being told to, with the end of their logs.
	Incidents() []string
	// Histories lists every history file of every incarnation; complete once all members are reaped.
	Histories() []HistoryRecord
	// Close kills and reaps whatever still runs.
	Close(ctx context.Context) error
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
	// Bytes is the file's size when its writer had been reaped: a shorter file later has lost something.
	Bytes int64 `json:"bytes"`
	// Killed says that the run killed the writer, so that a missing End entry is no loss.
	Killed bool `json:"killed"`
}

// FleetSpec is what a fleet is made from.
type FleetSpec struct {
	// Command is how to run this program as a worker or source: the hidden subcommand's name is appended.
	Command []string
	// Dir is the run's folder: histories go to Dir/history, process logs to Dir/processes.
	Dir        string
	RunID      history.RunID
	Cluster    Cluster
	Plan       TopicPlan
	Experiment Experiment
}

// Observer watches a run over links that no fault touches: an LSO sampler and a live read_committed reader.
type Observer interface {
	// Start begins to sample and read every output topic (and to sample the input topic).
	Start(ctx context.Context) error
	// Visible is the number of distinct inputs of a pipeline that the live reader has seen so far; VisibleIn is the
	// same for one partition.
	Visible(pipeline string) uint64
	VisibleIn(pipeline string, partition int32) uint64
	// LargestLag is the largest distance, over the pipeline's output partitions, of the LSO behind the high watermark in
	// the newest samples.
	LargestLag(pipeline string) int64
	// Failed returns why the observer can no longer record (disk full), or nil.
	Failed() error
	// Stop ends both and closes their files.
	Stop(ctx context.Context) error
	// Histories lists the observer's files; their sizes are final once Stop has returned.
	Histories() []HistoryRecord
}

// ObserverSpec is what an observer is made from.
type ObserverSpec struct {
	// Dir is the run's folder: files go to Dir/history as observer files, listed in Histories.
	Dir     string
	RunID   history.RunID
	Cluster Cluster
	Plan    TopicPlan
}

// ReadBackSpec is what the read-back works on, after every source and worker is reaped.
type ReadBackSpec struct {
	Dir     string
	RunID   history.RunID
	Cluster Cluster
	Plan    TopicPlan
}
