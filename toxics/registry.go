package toxics

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
)

// Kind is one registered fault: what users can name in a schedule.
type Kind struct {
	Name  string
	About string
	// Hits says what its targets must select.
	Hits Class
	// Options are the settings it takes, sorted by name.
	Options []OptionInfo
	// make reads the options and returns the fault; what is wrong with them stays in the reader.
	make func(*reader) harness.Fault
}

// kinds lists every fault, sorted by name. A new fault is one new file and one line here.
var kinds = options.Registry[Kind]{What: "fault", NameOf: func(k Kind) string { return k.Name }, Kinds: []Kind{
	addPartitionsKind,
	bandwidthKind,
	brokerConfigKind,
	brokerKillKind,
	brokerPauseKind,
	brokerRestartKind,
	brokerStopKind,
	brokerWipeKind,
	connectionCutKind,
	deleteRecordsKind,
	groupDeleteKind,
	latencyKind,
	leaderMoveKind,
	leaderStormKind,
	offsetsDeleteKind,
	partitionKind,
	powerLossKind,
	preferredElectionKind,
	refuseKind,
	requestDelayKind,
	requestDropKind,
	requestHoldKind,
	resetKind,
	responseDelayKind,
	responseDropKind,
	responseHoldKind,
	rollingRestartKind,
	serviceFailKind,
	slowCloseKind,
	sourceKillKind,
	topicConfigKind,
	transactionAbortKind,
	uncleanElectionKind,
	workerKillKind,
	workerPauseKind,
	workerScaleKind,
	workerStopKind,
}}

// All lists every fault there is, sorted by name.
func All() []Kind { return kinds.All() }

// Names lists the names of all faults, sorted.
func Names() []string { return kinds.Names() }

// Find returns the fault named so, or an error that lists the names there are.
func Find(name string) (Kind, error) { return kinds.Find(name) }

// New makes the named fault with its options, as YAML gives them: strings, integers, booleans, lists and mappings. What
// is wrong with an option comes back as an *OptionError.
func New(name string, given map[string]any) (harness.Fault, error) {
	kind, err := Find(name)
	if err != nil {
		return nil, err
	}
	r := &reader{options.NewReader(given), kind}
	fault := kind.make(r)
	if err := r.Finish(kind.Name, options.Names(kind.Options, func(o OptionInfo) string { return o.Name })); err != nil {
		return nil, err
	}
	return fault, nil
}

// Scope is what an experiment has, for checks before anything starts.
type Scope struct {
	Pipelines                    []harness.PipelineInfo
	Brokers, Partitions, Workers int
}

// checker is a fault with more to check against an experiment than whether its target exists.
type checker interface{ check(Scope, Target) error }

// Check says what is wrong with a fault and its target in an experiment that has what scope says.
func Check(name string, fault harness.Fault, target string, scope Scope) error {
	kind, err := Find(name)
	if err != nil {
		return err
	}
	parsed, err := ParseTarget(target)
	if err != nil {
		return err
	}
	if err := parsed.check(scope); err != nil {
		return err
	}
	if !kind.Hits.has(parsed.Class()) {
		return fmt.Errorf("%s hits %s; %q selects %s", name, kind.Hits, target, parsed.Class())
	}
	if c, ok := fault.(checker); ok {
		return c.check(scope, parsed)
	}
	return nil
}
