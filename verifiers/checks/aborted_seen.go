package verifiers

import (
	"fmt"
	"maps"
	"slices"

	"github.com/chaeos/chaeos/harness"
)

// checkAbortedSeen counts visible outputs of transactions whose abort was confirmed.
func checkAbortedSeen(e *facts, n *harness.Numbers) []finding {
	if !e.outputsInTransactions() {
		return nil
	}
	seen := e.txns.abortedSeen
	n.AbortedSeen = &seen.n
	if seen.n == 0 {
		return nil
	}
	return with(breaks(onlyExactly, "%s outputs are visible though their transaction's abort was confirmed, e.g. of %s", number(seen.n), seen.first()), seen.anomalies)
}

func abortedSeen(e *row, sums *txnSums, s *suspect) {
	if !s.aborted() {
		return
	}
	for _, p := range slices.Sorted(maps.Keys(s.log)) {
		seen := s.log[p].shown(e.layout.ReadUncommittedOutput)
		sums.abortedSeen.add(e, harness.AnomalyAbortedSeen, s, seen, func() string { return fmt.Sprintf("%s in %s", s, e.place(p)) })
	}
}
