package verifiers

import (
	"fmt"
	"maps"
	"slices"

	"github.com/chaeos/chaeos/harness"
)

// checkCommittedNotSeen counts outputs that were stored in a transaction whose commit was confirmed, and that are not in
// the log as committed. What is hidden behind another transaction may still appear.
func checkCommittedNotSeen(e *facts, n *harness.Numbers) []finding {
	if !e.outputsInTransactions() {
		return nil
	}
	missing := e.txns.notSeen
	n.CommittedNotSeen = &missing.n
	if missing.n == 0 {
		return nil
	}
	return with(breaks(noLoss, "%s outputs are not visible though their transaction's commit was confirmed, e.g. %s", number(missing.n), missing.first()), missing.anomalies)
}

func committedNotSeen(e *row, sums *txnSums, s *suspect) {
	if !s.committed() {
		return
	}
	for _, p := range slices.Sorted(maps.Keys(s.confirmed)) {
		confirmed, there := s.confirmed[p], s.log[p].present()
		if confirmed > there && e.out.whole(p) {
			sums.notSeen.add(e, harness.AnomalyCommittedNotSeen, s, confirmed-there, func() string {
				return fmt.Sprintf("%s: %d of %d in %s", s, there, confirmed, e.place(p))
			})
		}
	}
}
