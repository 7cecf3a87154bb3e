package harness

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/claims"
	"github.com/chaeos/chaeos/harness/history"
)

// ScheduledFault is one line of an experiment's schedule.
type ScheduledFault struct {
	// At is when to inject, from the start of the load phase; For is how long until the heal. For a worker fault with a
	// phase, At is when the phase is armed; for a fault with a trigger, when that is armed.
	At, For time.Duration
	// Name is the fault's registered name, Target its selector as written ("leader of output/0").
	Name, Target string
	Fault        Fault
	// Label is its name for triggers of other faults ("" none).
	Label string
	// When is the trigger to wait for, from At on. HealWhen heals the fault before For is over, and must fire by then.
	When, HealWhen *When
	// AimsAt are the pipelines on which the fault must take effect; all of them if it is empty.
	AimsAt []string
	// Series numbers the repetitions of one line of the schedule (0: it is not repeated). One of them must take effect.
	Series int
}

// Fault is one kind of injection with its options.
type Fault interface {
	// Needs lists the abilities that a provider must have ("links", "kill", "pause"), for preflight.
	Needs() []string
	// Inject resolves the target, applies the fault, and returns what heals it. If it fails and could
	// not undo everything itself, it returns an Injection with the error.
	Inject(ctx context.Context, field *Field, target string) (Injection, error)
}

// Injection is an active fault.
type Injection interface {
	// Resolved returns what the target was.
	Resolved() Resolved
	// Heal undoes the fault. It may be called again after an error, and if there is nothing left to undo.
	Heal(ctx context.Context) error
	// Proofs returns for each pipeline the proof that the fault took effect on it, or that it did not. It is called once, just
	// after the heal.
	Proofs(ctx context.Context) []Proof
}

// lastingInjection is an injection that does what no heal undoes.
type lastingInjection interface{ Lasting() []Lasting }

// healChecker is an injection that can measure whether the fault is over: by what, or what stayed broken. It waits a
// bounded time for that.
type healChecker interface {
	CheckHeal(ctx context.Context) (proof string, err error)
}

// Resolved is what a target turned out to be when the fault was injected.
type Resolved struct {
	// Text is for people: "broker 1 (leads output/0, not the controller)".
	Text    string   `json:"text"`
	Brokers []int    `json:"brokers,omitempty"`
	Members []string `json:"members,omitempty"`
	Links   []string `json:"links,omitempty"`
	// Partitions are the partitions that the fault affects: led by a broker that was hit, or owned by a worker that was.
	Partitions []int32 `json:"partitions,omitempty"`
}

// Proof shows whether a fault took effect on one pipeline: at least one of its requests was cut or delayed, or its
// worker or leader was hit, while it had records in flight.
type Proof struct {
	Pipeline   string `json:"pipeline"`
	TookEffect bool   `json:"bit"`
	// Text quotes the measurement ("312 kB cut on 1-2-replication", "killed in phase flushed").
	Text string `json:"proof"`
	// InFlight is the number of records offered and not yet visible when the fault was injected.
	InFlight uint64 `json:"inFlight"`
}

// FaultRecord is what became of one scheduled fault.
type FaultRecord struct {
	Fault    string        `json:"fault"`
	Target   string        `json:"target"`
	Options  string        `json:"options,omitempty"`
	At       time.Duration `json:"at"`
	For      time.Duration `json:"for"`
	Injected history.Time  `json:"injected,omitempty"`
	Healed   history.Time  `json:"healed,omitempty"`
	Resolved Resolved      `json:"resolved"`
	Proofs   []Proof       `json:"bites,omitempty"`
	// Reaction is the cluster's reaction: "leader of output/0: 1 -> 2 after 9.1s".
	Reaction string `json:"effect,omitempty"`
	// Lasting is what it did that no heal undoes.
	Lasting []Lasting `json:"lasting,omitempty"`
	// HealProof is what showed that the fault is over: "no toxic left on 8 links".
	HealProof string `json:"healProof,omitempty"`
	Error     string `json:"error,omitempty"`
	Label     string `json:"label,omitempty"`
	// When and HealWhen are the triggers as written, Saw and HealSaw what they saw when they fired.
	When     string   `json:"when,omitempty"`
	Saw      string   `json:"saw,omitempty"`
	HealWhen string   `json:"healWhen,omitempty"`
	HealSaw  string   `json:"healSaw,omitempty"`
	AimsAt   []string `json:"aimsAt,omitempty"`
	Series   int      `json:"series,omitempty"`
}

// Concerns reports whether the fault is meant to take effect on the pipeline.
func (f FaultRecord) Concerns(pipeline string) bool {
	return len(f.AimsAt) == 0 || slices.Contains(f.AimsAt, pipeline)
}

// Field is what faults work on: the cluster, the processes, and what the run knows of its progress.
type Field struct {
	Cluster Cluster
	// Fleet is the members of the run, as far as a fault or a trigger may touch them.
	Fleet interface {
		Roster
		Processes
		Gates
	}
	// Admin is a client over links that no fault touches. Its metadata cache may be stale: send requests yourself.
	Admin *kgo.Client
	Plan  TopicPlan
	// Dir is the run's folder ("" if no run plays).
	Dir string
	// Rand is the fault's own, so that overlapping faults draw the same in every run with the seed.
	Rand *rand.Rand
	// Observer reports what is visible in the outputs.
	Observer Viewer
	// Claims are what the run's faults want of things that several of them may change at once.
	Claims *claims.Book
}

// Brokers are the cluster's brokers, to ask over links that no fault touches.
func (f *Field) Brokers() ask.Brokers { return ask.Of(f.Admin, f.Cluster.Info().Nodes...) }

// InFlight returns the records offered to a pipeline and not yet visible in its output.
func (f *Field) InFlight(pipeline string) uint64 {
	offered, visible := f.Fleet.Offered(pipeline), f.Observer.Visible(pipeline)
	if offered < visible {
		return 0
	}
	return offered - visible
}
