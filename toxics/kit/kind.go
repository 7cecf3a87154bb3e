package kit

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/target"
)

// Kind is one registered fault: what users can name in a schedule.
type Kind struct {
	Name string
	// About is one line: what the fault does, and what the heal does.
	About string
	// Hits is what its targets must select.
	Hits target.Class
	// Options are the settings that it takes, sorted by name.
	Options []options.Info
	// Make reads the options and returns the fault. What is wrong with them is noted in the reader.
	Make func(*options.Reader) harness.Fault
}

// checker is a fault that checks more before a run than whether its target exists.
type checker interface {
	Check(harness.Scope, target.Target) error
}

// QuorumFault is a fault that can take nodes out of the controller quorum: dead, stopped, or cut off.
type QuorumFault interface{ OutOfQuorum() bool }

// RollingFault is a QuorumFault that may take nodes out one at a time.
type RollingFault interface{ OneAtATime() bool }

// Check returns what is wrong with a fault of this kind and its target in an experiment that has what is in scope.
func (k Kind) Check(fault harness.Fault, selector string, scope harness.Scope) error {
	parsed, err := target.Parse(selector)
	if err != nil {
		return err
	}
	if err := parsed.Check(scope); err != nil {
		return err
	}
	if !k.Hits.Has(parsed.Class()) {
		return fmt.Errorf("%s hits %s; %q selects %s", k.Name, k.Hits, selector, parsed.Class())
	}
	if c, ok := fault.(checker); ok {
		return c.Check(scope, parsed)
	}
	return nil
}
