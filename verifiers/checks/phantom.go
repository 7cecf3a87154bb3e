package verifiers

import (
	"fmt"
	"maps"
	"slices"

	"github.com/chaeos/chaeos/harness"
)

// checkPhantom counts records that were reported as failed, or whose commit was refused or never asked for, and that are
// visible all the same.
func checkPhantom(e *facts, n *harness.Numbers) []finding {
	if e.layout.ProducerOnly {
		n.Phantom = e.source.failed.And(e.out.seen).Len()
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
	return with(breaks(onlyExactly, text, number(n.Phantom)), e.txns.phantom.anomalies)
}

// phantomOutputs compares, for workers that closed their history, what is in the log with what can be: everything but
// the definite failures. Further copies of one processing are duplicates, not phantoms.
func phantomOutputs(e *facts) (n uint64) {
	for _, w := range e.workers {
		if !w.ended {
			continue
		}
		for p, failed := range w.failed {
			there, possible := processings(e.row, e.duplicates, w.life, p), w.confirmed[p]+w.unknown[p]
			if there > possible {
				n += min(failed, there-possible)
			}
		}
	}
	return n
}

func phantomTxn(e *row, sums *txnSums, s *suspect) {
	if s.refused() {
		for _, p := range slices.Sorted(maps.Keys(s.log)) {
			seen := s.log[p].shown(e.layout.ReadUncommittedOutput)
			sums.phantom.add(e, harness.AnomalyPhantom, s, seen, func() string {
				return fmt.Sprintf("%s (%s): %d outputs in %s", s, s.outcomeText(), seen, e.place(p))
			})
		}
	}
}
