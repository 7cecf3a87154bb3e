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

// checkPhantom counts records that were reported as failed, or whose commit was refused or never asked for, and that are
// visible all the same.
func checkPhantom(e *Facts, n *harness.Numbers) []Finding {
	if e.Layout.ProducerOnly {
		n.Phantom = e.Source.Failed.And(e.Out.Visible).Len()
	} else {
		n.Phantom = phantomOutputs(e) + e.txns.phantom.n
	}
	if n.Phantom == 0 {
		return nil
	}
	text := "%s records are visible whose writing was reported as failed"
	if x := e.txns.phantom.first(); x != "" {
		text += ", e.g. " + x
	}
	return with(Breaks(onlyExactly, text, words.Number(n.Phantom)), e.txns.phantom.anomalies)
}

// phantomOutputs compares, for workers that closed their history, what is in the log with what can be: everything but
// the definite failures. Further copies of one processing are duplicates, not phantoms.
func phantomOutputs(e *Facts) (n uint64) {
	for _, w := range e.Workers {
		if !w.Ended {
			continue
		}
		for p, failed := range w.Failed {
			there, possible := causes.Processings(e.Row, e.Duplicates, w.Incarnation, p), w.Confirmed[p]+w.Unknown[p]
			if there > possible {
				n += min(failed, there-possible)
			}
		}
	}
	return n
}

func phantomTxn(e *rows.Row, sums *txnCounts, s *causes.Suspect) {
	if s.Refused() {
		for _, p := range slices.Sorted(maps.Keys(s.Log)) {
			seen := s.Log[p].Shown(e.Layout.ReadUncommittedOutput)
			sums.phantom.add(e, harness.AnomalyPhantom, s, seen, func() string {
				return fmt.Sprintf("%s (%s): %d outputs in %s", s, s.OutcomeText(), seen, e.PartitionName(p))
			})
		}
	}
}
