package checks

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/words"
)

// ofTransactions counts things of single transactions, with the first of them as examples.
type ofTransactions struct {
	kind      harness.AnomalyKind
	n         uint64
	anomalies []harness.Anomaly
}

// add counts n things of one transaction, which example puts in words.
func (c *ofTransactions) add(r *rows.Row, s *causes.Suspect, n uint64, example func() string) {
	if c.n += n; n > 0 && len(c.anomalies) < r.Keep.Most {
		c.anomalies = append(c.anomalies, harness.Anomaly{Kind: c.kind, Txn: causes.TxnRef(r, s), Text: example()})
	}
}

// first is the first example, "" for none.
func (c *ofTransactions) first() string {
	if len(c.anomalies) == 0 {
		return ""
	}
	return c.anomalies[0].Text
}

// found is what a count proves; format takes the count and the first example.
func (c *ofTransactions) found(g []harness.Guarantee, format string) []Finding {
	if c.n == 0 {
		return nil
	}
	return with(breaks(g, format, words.Number(c.n), c.first()), c.anomalies)
}

// inTransactions begins a check that applies to rows whose outputs are records in transactions.
func inTransactions(begin func() Counting) func(*rows.Subject) Counting {
	return func(s *rows.Subject) Counting {
		if !s.OutputsInTransactions() {
			return nil
		}
		return begin()
	}
}
