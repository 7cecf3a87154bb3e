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
	Options []options.Info
	// make reads the options and returns the fault; what is wrong with them stays in the reader.
	make func(*options.Reader) harness.Fault
}

// checker is a fault with more to check against an experiment than whether its target exists.
type checker interface {
	check(harness.Scope, Target) error
}

// quorumFault is a fault that can take nodes out of the controller quorum: dead, stopped, or cut off from it.
type quorumFault interface{ outOfQuorum() bool }

// check says what is wrong with a fault of this kind and its target in an experiment that has what scope says.
func (k Kind) check(fault harness.Fault, selector string, scope harness.Scope) error {
	parsed, err := ParseTarget(selector)
	if err != nil {
		return err
	}
	if err := parsed.check(scope); err != nil {
		return err
	}
	if !k.Hits.has(parsed.Class()) {
		return fmt.Errorf("%s hits %s; %q selects %s", k.Name, k.Hits, selector, parsed.Class())
	}
	if c, ok := fault.(checker); ok {
		return c.check(scope, parsed)
	}
	return nil
}
