package verifiers

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
)

// checkAbortedSeen counts visible outputs of transactions whose abort was confirmed.
func checkAbortedSeen(e *evidence, n *harness.Numbers) []finding {
	if !e.layout.Transactional || e.layout.ProducerOnly {
		return nil
	}
	var seen uint64
	var first string
	for _, w := range e.workers {
		for _, ordinal := range w.ordinals() {
			if !w.txns[ordinal].aborted() {
				continue
			}
			for _, p := range partitionsOf(e.out.txns[txnKey{w.life, ordinal}]) {
				f := e.out.txns[txnKey{w.life, ordinal}][p]
				seen += f.visible
				if first == "" && f.visible > 0 {
					first = fmt.Sprintf("transaction %d of %s (incarnation %d) in %s/%d", ordinal, w.name, w.Incarnation, e.layout.Output, p)
				}
			}
		}
	}
	n.AbortedSeen = &seen
	if seen == 0 {
		return nil
	}
	return breaks(onlyExactly, "%s outputs are visible though their transaction's abort was confirmed, e.g. of %s", number(seen), first)
}
