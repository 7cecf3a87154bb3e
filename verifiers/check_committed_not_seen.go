package verifiers

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
)

// checkCommittedNotSeen counts outputs that were stored in a transaction whose commit was confirmed, and that are not in
// the log as committed. What is hidden behind another transaction may still appear.
func checkCommittedNotSeen(e *evidence, n *harness.Numbers) []finding {
	if !e.layout.Transactional || e.layout.ProducerOnly {
		return nil
	}
	var missing uint64
	var first string
	for _, w := range e.workers {
		for _, ordinal := range w.ordinals() {
			t := w.txns[ordinal]
			if !t.committed() {
				continue
			}
			for _, p := range partitionsOf(t.confirmed) {
				confirmed, there := t.confirmed[p], e.out.txns[txnKey{w.life, ordinal}][p].present()
				if confirmed <= there || !e.out.whole(p) {
					continue
				}
				missing += confirmed - there
				if first == "" {
					first = fmt.Sprintf("transaction %d of %s (incarnation %d): %d of %d in %s/%d", ordinal, w.name, w.Incarnation, there, confirmed, e.layout.Output, p)
				}
			}
		}
	}
	n.CommittedNotSeen = &missing
	if missing == 0 {
		return nil
	}
	return breaks(noLoss, "%s outputs are not visible though their transaction's commit was confirmed, e.g. %s", number(missing), first)
}
