package checks

import (
	"fmt"
	"maps"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/words"
)

// checkCommittedNotSeen counts outputs that were stored in a transaction whose commit was confirmed, and that are not in
// the log as committed. What is hidden behind another transaction may still appear.
func checkCommittedNotSeen(e *Facts, n *harness.Numbers) []Finding {
	if !e.OutputsInTransactions() {
		return nil
	}
	missing := e.txns.notSeen
	n.CommittedNotSeen = &missing.n
	if missing.n == 0 {
		return nil
	}
	return with(Breaks(NoLoss, "%s outputs are not visible though their transaction's commit was confirmed, e.g. %s", words.Number(missing.n), missing.first()), missing.anomalies)
}

func committedNotSeen(e *rows.Row, sums *txnCounts, s *causes.Suspect) {
	if !s.Committed() {
		return
	}
	for _, p := range slices.Sorted(maps.Keys(s.Confirmed)) {
		confirmed, there := s.Confirmed[p], s.Log[p].Present()
		if confirmed > there && e.Out.Whole(p) {
			sums.notSeen.add(e, harness.AnomalyCommittedNotSeen, s, confirmed-there, func() string {
				return fmt.Sprintf("%s: %d of %d in %s", s, there, confirmed, e.PartitionName(p))
			})
		}
	}
}
