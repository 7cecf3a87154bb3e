package verifiers

import "github.com/chaeos/chaeos/harness"

// checkCorrupt counts records whose value fails its own CRC-32C, and records of batches that fail theirs.
func checkCorrupt(e *facts, n *harness.Numbers) []finding {
	n.Corrupt = e.out.corrupt
	var found []finding
	if n.Corrupt > 0 {
		found = doubt("%s output records are corrupt: whose they were can't be told", number(n.Corrupt))
	}
	if !e.layout.ProducerOnly && e.in.corrupt > 0 {
		found = append(found, doubt("%s input records are corrupt", number(e.in.corrupt))...)
	}
	return found
}
