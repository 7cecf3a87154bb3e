package checks

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/words"
)

// checkSplit counts the inputs of a row with several output topics that are visible in one of them and missing from
// another: all or none was promised. The copies that are missing are losses, or unprocessed, in their topic.
func checkSplit(e *Facts, n *harness.Numbers) []Finding {
	if len(e.Layout.Outputs()) < 2 {
		return nil
	}
	apart := apart(e)
	n.Split = new(apart.Len())
	if *n.Split == 0 {
		return nil
	}
	return Breaks(onlyExactly, "%s inputs are visible in one output topic and missing from another, e.g. %s",
		words.Number(*n.Split), e.InputName(apart.First(1)[0]))
}

// apart are the inputs that a row's readers see in one of its topics and that are missing from another, by input
// partition and offset. What is hidden, or may lie in a part of a log that was not read, is not missing.
func apart(e *Facts) *keyset.Set {
	partitions := int32(e.Run.Record.Plan.Partitions)
	seen, missing := keyset.New(), keyset.New()
	gone := e.Lost.And(e.Input)
	gone.Union(e.Unprocessed)
	for t := range int32(len(e.Layout.Outputs())) {
		here := func(class int32) bool { return class/partitions == t }
		seen.Union(e.Out.Visible.Where(here).Shifted(-t * partitions))
		missing.Union(gone.Where(here).Shifted(-t * partitions))
	}
	return seen.And(missing)
}
