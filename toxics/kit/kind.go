package kit

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/target"
)

// Kind is one registered fault: what users can name in a schedule.
type Kind struct {
	Name  string
	About string
	// Hits says what its targets must select.
	Hits target.Class
	// Options are the settings it takes, sorted by name.
	Options []options.Info
	// Make reads the options and returns the fault; what is wrong with them stays in the reader.
	Make func(*options.Reader) harness.Fault
}

// checker is a fault with more to check against an experiment than whether its target exists.
type checker interface {
	Check(harness.Scope, target.Target) error
}

// QuorumFault is a fault that can take nodes out of the controller quorum: dead, stopped, or cut off from it.
type QuorumFault interface{ OutOfQuorum() bool }

// Check says what is wrong with a fault of this kind and its target in an experiment that has what scope says.
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
