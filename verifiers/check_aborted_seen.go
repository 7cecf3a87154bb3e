package verifiers

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
)

// checkAbortedSeen counts visible outputs of transactions whose abort was confirmed.
func checkAbortedSeen(e *evidence, n *harness.Numbers) []finding {
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

func abortedSeen(e *evidence, s *suspect) {
	if !s.aborted() {
		return
	}
	for _, p := range partitionsOf(s.log) {
		seen := s.log[p].shown(e.layout.ReadUncommittedOutput)
		e.txns.abortedSeen.add(e, harness.AnomalyAbortedSeen, s, seen, func() string { return fmt.Sprintf("%s in %s", s, e.place(p)) })
	}
}
