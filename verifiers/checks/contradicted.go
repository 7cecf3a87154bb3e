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
	About:   "compares control records with what workers learnt",
	Control: "a torn transaction over two partitions",
	Numbers: []harness.Number{
		{
			Key: "contradicted", Header: "CONTRADICTED", Show: harness.WhenNonZero, Absent: harness.Null,
			Means: "Control records, by transaction and output partition, that contradict what the worker learnt: a commit although the\n" +
				"abort was confirmed, or although the commit was refused or never asked for (also where only an abort was); an abort although the commit was confirmed.\n" +
				"The row's isolation level does not matter here, nor for torn, committed not seen and the end of an unknown commit: those\n" +
				"go by the control records even if readers use `read_uncommitted`.",
			Unseen: "a marker that ends no records of this run, or the end of a transaction that no client learnt.",
		},
	},
	Begin: kit.InTransactions(func() kit.Counting {
		return &contradictedCount{OfTransactions: kit.OfTransactions{Kind: harness.AnomalyContradicted}}
	}),
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
		found = append(found, kit.Doubt("%s control records commit transactions whose worker's history ends before it asks for it",
			words.Number(c.untold))...)
	}
	return found
}
