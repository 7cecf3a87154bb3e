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

// checkContradicted matches control records with what workers were told: a transaction's marker in a partition must not
// say commit where the abort was confirmed, the commit refused or never asked for, nor abort where the commit was
// confirmed. A late or repeated request to end a transaction shows here first, whatever it did to the records.
func checkContradicted(e *Facts, n *harness.Numbers) []Finding {
	if !e.OutputsInTransactions() {
		return nil
	}
	x := e.txns.contradicted
	n.Contradicted = &x.n
	if x.n == 0 {
		return nil
	}
	return with(Breaks(onlyExactly, "%s control records say otherwise than the client was told, e.g. %s", words.Number(x.n), x.first()), x.anomalies)
}

func contradicted(e *rows.Row, sums *txnCounts, s *causes.Suspect) {
	for _, p := range slices.Sorted(maps.Keys(s.Log)) {
		says := ""
		switch f := s.Log[p]; {
		case f.Visible > 0 && (s.Aborted() || s.Refused()):
			says = "commit"
		case f.Aborted > 0 && s.Committed():
			says = "abort"
		default:
			continue
		}
		sums.contradicted.add(e, harness.AnomalyContradicted, s, 1, func() string {
			return fmt.Sprintf("%s (%s): %s in %s", s, s.OutcomeText(), says, e.PartitionName(p))
		})
	}
}
