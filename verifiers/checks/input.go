package checks

import "github.com/chaeos/chaeos/harness"

// checkInput counts the input and what of it is visible, and asserts that every input is accounted for once:
// unique + lost + unprocessed + hidden = input.
func CheckInput(e *Facts, n *harness.Numbers) []Finding {
	n.Input = e.InputCount
	n.Unique = e.Input.And(e.Out.Visible).Len()
	sum := n.Unique + e.Lost.Len() + e.Unprocessed.Len() + e.Hidden.Len()
	overflow := e.Input.Overflow + e.Out.Visible.Overflow + e.Out.Hidden.Overflow
	switch {
	case overflow > 0 || e.Source.Overflow():
		return doubt("an offset or sequence needs more than 32 bits: not counted")
	case sum != n.Input:
		return Internal("unique + lost + unprocessed + hidden is %d, input is %d", sum, n.Input)
	case n.Input == 0:
		return doubt("there was no input")
	}
	return nil
}
