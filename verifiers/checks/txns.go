package verifiers

import "github.com/chaeos/chaeos/harness"

// txnSums are what the checks of single transactions found.
type txnSums struct {
	abortedSeen, notSeen, torn, contradicted, phantom, unknown txnSum
	unknownHappened                                            uint64
	// gone counts, by partition, outputs of committed transactions that are not in the log.
	gone map[int32]uint64
}

// txnSum is a count with its first examples.
type txnSum struct {
	n         uint64
	anomalies []harness.Anomaly
}

// add counts n things of one transaction, which example puts in words.
func (s *txnSum) add(e *row, kind harness.AnomalyKind, x *suspect, n uint64, example func() string) {
	if s.n += n; n > 0 && len(s.anomalies) < e.keep.most {
		s.anomalies = append(s.anomalies, harness.Anomaly{Kind: kind, Txn: txnRef(e, x), Text: example()})
	}
}

// first is the first example ("" none).
func (s *txnSum) first() string {
	if len(s.anomalies) == 0 {
		return ""
	}
	return s.anomalies[0].Text
}

// txnChecks look at one transaction each time. A new one is a function and a line here; what it finds is reported by its
// check from the row's txnSums.
var txnChecks = []func(*row, *txnSums, *suspect){
	abortedSeen,
	committedNotSeen,
	torn,
	phantomTxn,
	unknownTxn,
	goneTxn,
	contradicted,
}

// goneTxn counts the outputs of a transaction whose commit was confirmed that are not in the log at all.
func goneTxn(e *row, sums *txnSums, s *suspect) {
	if !s.committed() {
		return
	}
	for p, confirmed := range s.confirmed {
		if there := s.log[p].stored(); confirmed > there && e.out.whole(p) {
			if sums.gone == nil {
				sums.gone = map[int32]uint64{}
			}
			sums.gone[p] += confirmed - there
		}
	}
}

// take shows one transaction to every check of transactions.
func (s *txnSums) take(e *row, x *suspect) {
	for _, check := range txnChecks {
		check(e, s, x)
	}
}
