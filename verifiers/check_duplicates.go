package verifiers

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
)

// checkDuplicates counts visible copies beyond the first, by cause.
func checkDuplicates(e *evidence, n *harness.Numbers) []finding {
	n.Duplicates = e.out.copies - e.out.seen.Len()
	n.DuplicatedInputs = e.out.again.Len()
	if n.Duplicates == 0 {
		return nil
	}
	n.DuplicatesBy = e.duplicates.by
	var sum uint64
	for _, c := range n.DuplicatesBy {
		sum += c
	}
	if sum != n.Duplicates {
		return internal("the causes of duplicates add up to %d, duplicates are %d", sum, n.Duplicates)
	}
	x := e.duplicates.examples[0]
	return breaks(noDuplicates, "%s extra copies of %s inputs are visible (%s), e.g. %s at %s",
		number(n.Duplicates), number(n.DuplicatedInputs), counts(n.DuplicatesBy), e.name(x.key), places(e, x.copies))
}

func places(e *evidence, copies []copyOf) string {
	text := ""
	for i, c := range copies[:min(len(copies), maxExamples)] {
		if i > 0 {
			text += " and "
		}
		text += fmt.Sprintf("%s/%d offset %d", e.layout.Output, c.partition, c.offset)
		if !e.layout.ProducerOnly {
			text += fmt.Sprintf(" (worker %d incarnation %d)", c.Worker, c.Incarnation)
		}
	}
	return text
}
