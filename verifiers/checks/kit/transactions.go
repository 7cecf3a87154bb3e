package kit

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/words"
)

// OfTransactions counts things of single transactions, with the first of them as Anomalies of a kind.
type OfTransactions struct {
	Kind      harness.AnomalyKind
	N         uint64
	Anomalies []harness.Anomaly
}

// Add counts n things of one transaction, which example puts in words.
func (c *OfTransactions) Add(r *rows.Row, s *causes.Suspect, n uint64, example func() string) {
	if c.N += n; n > 0 && len(c.Anomalies) < r.Keep.Most {
		c.Anomalies = append(c.Anomalies, harness.Anomaly{Kind: c.Kind, Txn: causes.TxnRef(r, s), Text: example()})
	}
}

// First is the first example, "" for none.
func (c *OfTransactions) First() string {
	if len(c.Anomalies) == 0 {
		return ""
	}
	return c.Anomalies[0].Text
}

// Proves is what a count proves; format takes the count and the first example.
func (c *OfTransactions) Proves(g []harness.Guarantee, format string) []Finding {
	if c.N == 0 {
		return nil
	}
	return With(Breaks(g, format, words.Number(c.N), c.First()), c.Anomalies)
}

// InTransactions begins a check that applies to rows whose outputs are records in transactions.
func InTransactions(begin func() Counting) func(*rows.Subject) Counting {
	return func(s *rows.Subject) Counting {
		if !s.OutputsInTransactions() {
			return nil
		}
		return begin()
	}
}
