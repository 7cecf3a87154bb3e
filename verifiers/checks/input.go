package checks

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
)

var input = kit.Check{
	Name:    "input",
	About:   "counts the input and what of it is visible, and asserts that every input is accounted for once",
	Control: "no input at all",
	Numbers: []harness.Number{
		{
			Key: "input", Header: "INPUT", Measure: true,
			Means: "The records in the pipeline's input log that its own isolation level shows, by partition and offset. If the source is\n" +
				"under test, the records that were acknowledged to it (with acks=0: that it sent). Unique + lost + unprocessed + hidden =\n" +
				"input is asserted on every run; a row for which it isn't true is inconclusive.",
			Unseen: "records that never reached the input log, or were deleted from it before the read-back: those are the source's own columns.",
		},
		{
			Key: "unique", Header: "UNIQUE", Measure: true,
			Means:  "Inputs with at least one visible output.",
			Unseen: "whether the output's content is right beyond its envelope and CRC.",
		},
	},
	Begin: kit.Always(finishInput),
}

func finishInput(f *kit.Facts, n *harness.Numbers) []kit.Finding {
	unique := f.Input.And(f.Out.Visible).Len()
	n.Set("input", f.InputCount)
	n.Set("unique", unique)
	sum := unique + f.Lost.Len() + f.Unprocessed.Len() + f.Hidden.Len()
	overflow := f.Input.Overflow + f.Out.Visible.Overflow + f.Out.Hidden.Overflow
	switch {
	case overflow > 0 || f.Source.Overflow():
		return kit.Doubt("an offset or sequence needs more than 32 bits: not counted")
	case sum != f.InputCount:
		return kit.Internal("unique + lost + unprocessed + hidden is %d, input is %d", sum, f.InputCount)
	case f.InputCount == 0:
		return kit.Doubt("there was no input")
	}
	return nil
}
