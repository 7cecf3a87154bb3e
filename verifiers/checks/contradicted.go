package verifiers

import (
	"fmt"
	"maps"
	"slices"

	"github.com/chaeos/chaeos/harness"
)

// checkContradicted matches control records with what workers were told: a transaction's marker in a partition must not
// say commit where the abort was confirmed, the commit refused or never asked for, nor abort where the commit was
// confirmed. A late or repeated request to end a transaction shows here first, whatever it did to the records.
func checkContradicted(e *facts, n *harness.Numbers) []finding {
	if !e.outputsInTransactions() {
		return nil
	}
	x := e.txns.contradicted
	n.Contradicted = &x.n
	if x.n == 0 {
		return nil
	}
	return with(breaks(onlyExactly, "%s control records say otherwise than the client was told, e.g. %s", number(x.n), x.first()), x.anomalies)
}

func contradicted(e *row, sums *txnSums, s *suspect) {
	for _, p := range slices.Sorted(maps.Keys(s.log)) {
		says := ""
		switch f := s.log[p]; {
		case f.visible > 0 && (s.aborted() || s.refused()):
			says = "commit"
		case f.aborted > 0 && s.committed():
			says = "abort"
		default:
			continue
		}
		sums.contradicted.add(e, harness.AnomalyContradicted, s, 1, func() string {
			return fmt.Sprintf("%s (%s): %s in %s", s, s.outcomeText(), says, e.place(p))
		})
	}
}
