package checks

import (
	"fmt"
	"maps"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/words"
)

var contradicted = kit.Check{
	Name:    "contradicted",
	About:   "compares control records with what workers, and sources that write in transactions, learnt",
	Control: "a torn transaction over two partitions",
	Numbers: []harness.Number{
		{
			Key: "contradicted", Header: "CONTRADICTED", Show: harness.WhenNonZero, Absent: harness.Null,
			Means: "Control records, by transaction and output partition, that contradict what the worker or source learnt: a commit although the\n" +
				"abort was confirmed, or although the commit was refused or never asked for (also where only an abort was); an abort although the commit was confirmed.\n" +
				"The row's isolation level does not matter here, nor for torn, committed not seen and the end of an unknown commit: those\n" +
				"go by the control records even if readers use `read_uncommitted`.",
			Unseen: "a marker that ends no records of this run, or the end of a transaction that no client learnt.",
		},
	},
	Begin: func(s *rows.Subject) kit.Counting {
		count := contradictedCount{OfTransactions: kit.OfTransactions{Kind: harness.AnomalyContradicted}}
		switch {
		case kit.WritesTransactions(s):
			return &contradictedSent{count, kit.NewSentTransactions(s)}
		case s.OutputsInTransactions():
			return &count
		}
		return nil
	},
}

type contradictedCount struct {
	kit.OfTransactions
	// untold counts control records whose request may have been in the missing part of a history.
	untold uint64
}

// Transaction implements TransactionReader. A late or repeated request to end a transaction shows here first, whatever it did
// to the records.
func (c *contradictedCount) Transaction(r *rows.Row, s *causes.Suspect) {
	for _, p := range slices.Sorted(maps.Keys(s.Log)) {
		says := ""
		switch t := s.Log[p]; {
		case t.Visible > 0 && (s.Aborted() || s.Refused()):
			says = "commit"
		case t.Aborted > 0 && s.Committed():
			says = "abort"
		case t.Visible > 0 && s.Untold():
			c.untold++
			continue
		default:
			continue
		}
		c.Add(r, s, 1, func() string { return fmt.Sprintf("%s (%s): %s in %s", s, s.OutcomeText(), says, r.PartitionName(p)) })
	}
}

// Finish implements Counting.
func (c *contradictedCount) Finish(_ *kit.Facts, n *harness.Numbers) []kit.Finding {
	n.Set("contradicted", c.N)
	found := c.Proves(kit.OnlyExactly, "%s control records contradict what the client learnt, e.g. %s")
	if c.untold > 0 {
		found = append(found, kit.Doubt("%s control records commit transactions whose client's history ends before it asks for it",
			words.Number(c.untold))...)
	}
	return found
}

// contradictedSent counts those of a source under test.
type contradictedSent struct {
	contradictedCount
	*kit.SentTransactions
}

// Finish implements Counting.
func (c *contradictedSent) Finish(f *kit.Facts, n *harness.Numbers) []kit.Finding {
	for _, t := range c.All() {
		if t.SourceTxn == nil {
			continue
		}
		for _, p := range slices.Sorted(maps.Keys(t.Log)) {
			c.sent(f, t, p)
		}
	}
	return c.contradictedCount.Finish(f, n)
}

func (c *contradictedSent) sent(f *kit.Facts, t *kit.SentTransaction, p int32) {
	says := ""
	switch x := t.Log[p]; {
	case x.Visible > 0 && (t.Aborted() || t.Refused()):
		says = "commit"
	case x.Aborted > 0 && t.Committed():
		says = "abort"
	case x.Visible > 0 && t.Untold():
		c.untold++
		return
	default:
		return
	}
	c.AddSent(f.Row, t, 1, func() string { return fmt.Sprintf("%s (%s): %s in %s", t, t.OutcomeText(), says, f.PartitionName(p)) })
}
