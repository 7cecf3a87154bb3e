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

// checkTorn counts transactions of which some confirmed outputs, or the offset commit, took effect and others did not.
func checkTorn(e *Facts, n *harness.Numbers) []Finding {
	if !e.OutputsInTransactions() {
		return nil
	}
	torn := e.txns.torn
	n.Torn = &torn.n
	if torn.n == 0 {
		return nil
	}
	return with(Breaks(onlyExactly, "%s transactions took effect in part, e.g. %s", words.Number(torn.n), torn.first()), torn.anomalies)
}

func torn(e *rows.Row, sums *txnCounts, s *causes.Suspect) {
	if e.Layout.Effects {
		return
	}
	if took, missed := effects(e, s); took != "" && missed != "" {
		sums.torn.add(e, harness.AnomalyTorn, s, 1, func() string { return fmt.Sprintf("%s: %s, but %s", s, took, missed) })
	}
}

// effects says what of a transaction took effect, and what did not.
func effects(e *rows.Row, s *causes.Suspect) (took, missed string) {
	for _, p := range slices.Sorted(maps.Keys(s.Log)) {
		if f := s.Log[p]; f.Visible > 0 {
			took = fmt.Sprintf("%d outputs in %s are visible", f.Visible, e.PartitionName(p))
		}
		if f := s.Log[p]; f.Aborted > 0 {
			missed = fmt.Sprintf("%d outputs in %s are aborted", f.Aborted, e.PartitionName(p))
		}
	}
	for _, p := range slices.Sorted(maps.Keys(s.Confirmed)) {
		if there := s.Log[p].Present(); there < s.Confirmed[p] && e.Out.Whole(p) {
			missed = fmt.Sprintf("%d of %d outputs in %s are not", s.Confirmed[p]-there, s.Confirmed[p], e.PartitionName(p))
		}
	}
	if !e.HaveFinal {
		return took, missed
	}
	for _, o := range s.Offsets {
		final := e.FinalOffsets[o.Partition]
		switch {
		case final < o.Offset && missed == "":
			missed = fmt.Sprintf("position %d of input partition %d is not committed", o.Offset, o.Partition)
		case final == o.Offset && e.Last[o.Partition] == 1 && took == "":
			took = fmt.Sprintf("position %d of input partition %d is committed", o.Offset, o.Partition)
		}
	}
	return took, missed
}
