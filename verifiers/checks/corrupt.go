package checks

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/words"
)

// checkCorrupt counts records whose value fails its own CRC-32C, and records of batches that fail theirs.
func checkCorrupt(e *Facts, n *harness.Numbers) []Finding {
	n.Corrupt = e.Out.Corrupt
	var found []Finding
	if n.Corrupt > 0 {
		found = doubt("%s output records are corrupt: whose they were can't be told", words.Number(n.Corrupt))
	}
	if !e.Layout.ProducerOnly && e.In.Corrupt > 0 {
		found = append(found, doubt("%s input records are corrupt", words.Number(e.In.Corrupt))...)
	}
	return found
}
