package checks

import "github.com/chaeos/chaeos/harness"

// checkReordered counts, within one input and output partition, first occurrences that come after a later input's. No
// guarantee promises order; the number stands for itself.
func checkReordered(e *Facts, n *harness.Numbers) []Finding {
	n.Reordered = e.Out.Reordered
	return nil
}
