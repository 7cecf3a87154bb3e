package toxics

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

// kinds lists every fault, sorted by name. A new fault is one new file and one line here.
var kinds = options.Registry[kit.Kind]{
	What: "fault", NameOf: func(k kit.Kind) string { return k.Name }, Takes: func(k kit.Kind) []options.Info { return k.Options },
	Kinds: []kit.Kind{
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
	},
}

// OptionError is what is wrong with one option of a fault.
type OptionError = options.Error

// All lists every fault there is, sorted by name.
func All() []kit.Kind { return kinds.All() }

// Names lists the names of all faults, sorted.
func Names() []string { return kinds.Names() }

// Find returns the named fault, or an error that lists the names there are.
func Find(name string) (kit.Kind, error) { return kinds.Find(name) }

// New makes the named fault with its options as YAML gives them: strings, integers, booleans, lists and mappings. What is wrong
// with an option is an *OptionError.
func New(name string, given map[string]any) (harness.Fault, error) {
	kind, r, err := kinds.Open(name, given)
	if err != nil {
		return nil, err
	}
	fault := kind.Make(r)
	if err := r.Finish(); err != nil {
		return nil, err
	}
	return fault, nil
}

// Check returns what is wrong with a fault and its target in an experiment that has what is in scope.
func Check(name string, fault harness.Fault, selector string, scope harness.Scope) error {
	kind, err := Find(name)
	if err != nil {
		return err
	}
	return kind.Check(fault, selector, scope)
}

// OutageOf returns what a fault takes out of the quorum: nothing if its target is none, which Check reports.
func OutageOf(fault harness.Fault, selector string) target.Outage {
	q, ok := fault.(kit.QuorumFault)
	if !ok || !q.OutOfQuorum() {
		return target.Outage{}
	}
	t, err := target.Parse(selector)
	if err != nil || t.Class() != target.Brokers {
		return target.Outage{}
	}
	if one, ok := fault.(kit.RollingFault); ok && one.OneAtATime() {
		return target.Outage{Found: true}
	}
	return t.Outage()
}
