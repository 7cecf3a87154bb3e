package toxics

import "github.com/chaeos/chaeos/harness"

// Outage is what a fault takes out of the controller quorum while it is active.
type Outage struct {
	// Nodes are those that the target names; All says that it is every one.
	Nodes []int
	All   bool
	// Found says that one more is taken, which is only known at run time.
	Found bool
	// Controller says that the one is the active controller.
	Controller bool
}

// quorumFault is a fault that can take nodes out of the controller quorum: dead, stopped, or cut off from it.
type quorumFault interface{ outOfQuorum() bool }

// OutageOf says what a fault takes out of the quorum. A target that is no target takes nothing: Check reports it.
func OutageOf(fault harness.Fault, target string) Outage {
	q, ok := fault.(quorumFault)
	if !ok || !q.outOfQuorum() {
		return Outage{}
	}
	t, err := ParseTarget(target)
	if err != nil || t.Class() != Brokers {
		return Outage{}
	}
	switch t.form.syntax {
	case brokerNSyntax:
		return Outage{Nodes: []int{t.number("number")}}
	case allBrokersSyntax:
		return Outage{All: true}
	}
	return Outage{Found: true, Controller: t.form.syntax == controllerSyntax}
}
