package verifiers

import (
	"fmt"
	"maps"
	"slices"

	"github.com/chaeos/chaeos/harness"
)

// checkTorn counts transactions of which some confirmed outputs, or the offset commit, took effect and others did not.
func checkTorn(e *facts, n *harness.Numbers) []finding {
	if !e.outputsInTransactions() {
		return nil
	}
	torn := e.txns.torn
	n.Torn = &torn.n
	if torn.n == 0 {
		return nil
	}
	return with(breaks(onlyExactly, "%s transactions took effect in part, e.g. %s", number(torn.n), torn.first()), torn.anomalies)
}

func torn(e *row, sums *txnSums, s *suspect) {
	if e.layout.Effects {
		return
	}
	if took, missed := effects(e, s); took != "" && missed != "" {
		sums.torn.add(e, harness.AnomalyTorn, s, 1, func() string { return fmt.Sprintf("%s: %s, but %s", s, took, missed) })
	}
}

// effects says what of a transaction took effect, and what did not.
func effects(e *row, s *suspect) (took, missed string) {
	for _, p := range slices.Sorted(maps.Keys(s.log)) {
		if f := s.log[p]; f.visible > 0 {
			took = fmt.Sprintf("%d outputs in %s are visible", f.visible, e.place(p))
		}
		if f := s.log[p]; f.aborted > 0 {
			missed = fmt.Sprintf("%d outputs in %s are aborted", f.aborted, e.place(p))
		}
	}
	for _, p := range slices.Sorted(maps.Keys(s.confirmed)) {
		if there := s.log[p].present(); there < s.confirmed[p] && e.out.whole(p) {
			missed = fmt.Sprintf("%d of %d outputs in %s are not", s.confirmed[p]-there, s.confirmed[p], e.place(p))
		}
	}
	if !e.haveFinal {
		return took, missed
	}
	for _, o := range s.offsets {
		final := e.final[o.Partition]
		switch {
		case final < o.Offset && missed == "":
			missed = fmt.Sprintf("position %d of input partition %d is not committed", o.Offset, o.Partition)
		case final == o.Offset && e.last[o.Partition] == 1 && took == "":
			took = fmt.Sprintf("position %d of input partition %d is committed", o.Offset, o.Partition)
		}
	}
	return took, missed
}
