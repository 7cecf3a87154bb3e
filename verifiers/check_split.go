package verifiers

import "github.com/chaeos/chaeos/harness"

// checkSplit counts the inputs of a row with several output topics that are visible in one of them and missing from
// another: all or none was promised. The copies that are missing are losses, or unprocessed, in their topic.
func checkSplit(e *evidence, n *harness.Numbers) []finding {
	if len(e.layout.Outputs()) < 2 {
		return nil
	}
	apart := e.apart()
	n.Split = pointer(apart.Len())
	if *n.Split == 0 {
		return nil
	}
	return breaks(onlyExactly, "%s inputs are visible in one output topic and missing from another, e.g. %s",
		number(*n.Split), e.inputName(apart.First(1)[0]))
}
