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

// checkAbortedSeen counts visible outputs of transactions whose abort was confirmed.
func checkAbortedSeen(e *Facts, n *harness.Numbers) []Finding {
	if !e.OutputsInTransactions() {
		return nil
	}
	seen := e.txns.abortedSeen
	n.AbortedSeen = &seen.n
	if seen.n == 0 {
		return nil
	}
	return with(Breaks(onlyExactly, "%s outputs are visible though their transaction's abort was confirmed, e.g. of %s", words.Number(seen.n), seen.first()), seen.anomalies)
}

func abortedSeen(e *rows.Row, sums *txnCounts, s *causes.Suspect) {
	if !s.Aborted() {
		return
	}
	for _, p := range slices.Sorted(maps.Keys(s.Log)) {
		seen := s.Log[p].Shown(e.Layout.ReadUncommittedOutput)
		sums.abortedSeen.add(e, harness.AnomalyAbortedSeen, s, seen, func() string { return fmt.Sprintf("%s in %s", s, e.PartitionName(p)) })
	}
}
