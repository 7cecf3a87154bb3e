package checks

import (
	"fmt"
	"maps"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/rows"
)

var committedNotSeen = kit.Check{
	Name:    "committed-not-seen",
	About:   "counts outputs that were stored in a transaction whose commit was confirmed and that are not in the log as committed",
	Control: "a committed transaction aborted by the log",
	Numbers: []harness.Number{
		{
			Key: "committedNotSeen", Header: "COMMITTED NOT SEEN", Show: harness.WhenNonZero, Absent: harness.Null,
			Means:  "Outputs that were stored in a transaction whose commit was confirmed, and that are not in the log as committed.",
			Unseen: "outputs that were not confirmed to the client, and one for which a further copy of its transaction's in the same partition makes up in the count.",
		},
	},
	Begin: kit.InTransactions(func() kit.Counting { return &notSeenCount{kit.OfTransactions{Kind: harness.AnomalyCommittedNotSeen}} }),
}

type notSeenCount struct{ kit.OfTransactions }

// Transaction implements TransactionReader. What is hidden behind another transaction may still appear.
func (c *notSeenCount) Transaction(r *rows.Row, s *causes.Suspect) {
	if !s.Committed() {
		return
	}
	for _, p := range slices.Sorted(maps.Keys(s.Confirmed)) {
		confirmed, there := s.Confirmed[p], s.Log[p].Present()
		if confirmed > there && r.Out.Whole(p) {
			c.Add(r, s, confirmed-there, func() string { return fmt.Sprintf("%s: %d of %d in %s", s, there, confirmed, r.PartitionName(p)) })
		}
	}
}

// Finish implements Counting.
func (c *notSeenCount) Finish(_ *kit.Facts, n *harness.Numbers) []kit.Finding {
	n.Set("committedNotSeen", c.N)
	return c.Proves(kit.NoLoss, "%s outputs are not visible though their transaction's commit was confirmed, e.g. %s")
}
