package verifiers

import "github.com/chaeos/chaeos/harness"

// checkInput counts the input and what of it is visible, and asserts that every input is accounted for once:
// unique + lost + unprocessed + hidden = input.
func checkInput(e *facts, n *harness.Numbers) []finding {
	n.Input = e.inputN
	n.Unique = e.input.And(e.out.seen).Len()
	sum := n.Unique + e.lost.Len() + e.unprocessed.Len() + e.hidden.Len()
	overflow := e.input.Overflow + e.out.seen.Overflow + e.out.behind.Overflow
	switch {
	case overflow > 0 || e.source.overflow():
		return doubt("an offset or sequence needs more than 32 bits: not counted")
	case sum != n.Input:
		return internal("unique + lost + unprocessed + hidden is %d, input is %d", sum, n.Input)
	case n.Input == 0:
		return doubt("there was no input")
	}
	return nil
}
