package harness

import (
	"context"

	"github.com/chaeos/chaeos/harness/history"
)

// Fleet is a run's sources and workers, each an operating-system process. Take the part that you need.
type Fleet interface {
	Roster
	Processes
	Gates
	Lifecycle
}

// Roster lists the members and counts their records.
type Roster interface {
	// Members lists all members, sorted by name.
	Members() []Member
	// Offered is the number of records that were offered to a pipeline: acknowledged into its input topic, or handed to
	// its client if the source is under test.
	Offered(pipeline string) uint64
	// Acked is the number of records acknowledged to the pipeline's source; to all sources if the pipeline is "". It
	// may lag by a tenth of a second.
	Acked(pipeline string) uint64
}

// Processes acts on the process of one member. An unknown name is an error.
type Processes interface {
	// Kill ends a member's process at once (SIGKILL) and reaps it.
	Kill(ctx context.Context, name string) error
	// Pause and Resume stop and continue a member's process (SIGSTOP, SIGCONT).
	Pause(ctx context.Context, name string) error
	Resume(ctx context.Context, name string) error
	// Stop lets one member end in order, and kills it at the deadline.
	Stop(ctx context.Context, name string) error
	// Restart starts a new incarnation of a dead member.
	Restart(ctx context.Context, name string) error
	// Add starts one more worker of a pipeline, and returns its name.
	Add(ctx context.Context, pipeline string) (string, error)
	// Rename gives a dead member another transactional id for its next incarnation.
	Rename(name string) error
}

// Gates make workers wait at a phase of their work.
type Gates interface {
	// Arm tells a worker to wait when it next reaches the phase; one that waits already goes on. ArmAfter lets it reach the
	// phase the given number of times before.
	Arm(ctx context.Context, name, phase string) error
	ArmAfter(ctx context.Context, name, phase string, passes uint64) error
	// Await returns once an armed worker waits.
	Await(ctx context.Context, name string) error
	// Release disarms a worker and lets it go on.
	Release(ctx context.Context, name string) error
}

// Lifecycle is what a run does with all members together, from the first process to the last.
type Lifecycle interface {
	// Start starts every worker and source process. Workers consume; sources send nothing before Feed.
	Start(ctx context.Context) error
	// Feed makes the sources send at their pace from now until StopSources.
	Feed(ctx context.Context) error
	// StopSources lets the sources end in order: the outcome of everything sent is known or recorded as unknown, and the
	// process is reaped.
	StopSources(ctx context.Context) error
	// StopWorkers lets the workers finish what they have polled, commit and leave. It reaps every process; those that don't
	// end by the deadline it kills.
	StopWorkers(ctx context.Context) error
	// Incidents lists the members that ended although the run did not end them, with the end of their logs.
	Incidents() []string
	// Histories lists every history file of every incarnation; complete once all members are reaped.
	Histories() []HistoryRecord
	// Close kills and reaps whatever still runs.
	Close(ctx context.Context) error
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
