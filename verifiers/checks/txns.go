package checks

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/rows"
)

// txnSums are what the checks of single transactions found.
type txnCounts struct {
	abortedSeen, notSeen, torn, contradicted, phantom, unknown txnCount
	unknownHappened                                            uint64
	// gone counts, by partition, outputs of committed transactions that are not in the log.
	gone map[int32]uint64
}

// txnSum is a count with its first examples.
type txnCount struct {
	n         uint64
	anomalies []harness.Anomaly
}

// add counts n things of one transaction, which example puts in words.
func (s *txnCount) add(e *rows.Row, kind harness.AnomalyKind, x *causes.Suspect, n uint64, example func() string) {
	if s.n += n; n > 0 && len(s.anomalies) < e.Keep.Most {
		s.anomalies = append(s.anomalies, harness.Anomaly{Kind: kind, Txn: causes.TxnRef(e, x), Text: example()})
	}
}

// first is the first example ("" none).
func (s *txnCount) first() string {
	if len(s.anomalies) == 0 {
		return ""
	}
	return s.anomalies[0].Text
}

// txnChecks look at one transaction each time. A new one is a function and a line here; what it finds is reported by its
// check from the row's txnSums.
var txnChecks = []func(*rows.Row, *txnCounts, *causes.Suspect){
	abortedSeen,
	committedNotSeen,
	torn,
	phantomTxn,
	unknownTxn,
	goneTxn,
	contradicted,
}

// goneTxn counts the outputs of a transaction whose commit was confirmed that are not in the log at all.
func goneTxn(e *rows.Row, sums *txnCounts, s *causes.Suspect) {
	if !s.Committed() {
		return
	}
	for p, confirmed := range s.Confirmed {
		if there := s.Log[p].Stored(); confirmed > there && e.Out.Whole(p) {
			if sums.gone == nil {
				sums.gone = map[int32]uint64{}
			}
			sums.gone[p] += confirmed - there
		}
	}
}

// take shows one transaction to every check of transactions.
func (s *txnCounts) take(e *rows.Row, x *causes.Suspect) {
	for _, check := range txnChecks {
		check(e, s, x)
	}
}
