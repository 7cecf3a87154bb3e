package verifiers

import "github.com/chaeos/chaeos/harness"

// checkUnprocessed counts inputs that no committed position has passed and that have no output.
func checkUnprocessed(e *facts, n *harness.Numbers) []finding {
	n.Unprocessed = e.unprocessed.Len()
	var found []finding
	if !e.layout.ProducerOnly && !e.haveFinal {
		found = doubt("the group's committed positions are not known")
	}
	if n.Unprocessed == 0 {
		return found
	}
	return append(found, doubt("%s of %s inputs were not processed, e.g. %s", number(n.Unprocessed), number(n.Input), e.name(e.unprocessed.First(1)[0]))...)
}
