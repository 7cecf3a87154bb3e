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

var abortedSeen = kit.Check{
	Name:    "aborted-seen",
	About:   "counts visible outputs of transactions whose abort was confirmed",
	Control: "an aborted transaction shown",
	Numbers: []harness.Number{
		{
			Key: "abortedSeen", Header: "ABORTED SEEN", Absent: harness.Null, Worst: true,
			Means:  "Visible outputs of transactions whose abort was confirmed.",
			Unseen: "aborted outputs that `read_uncommitted` readers would get, if the row's own readers use `read_committed`.",
		},
	},
	Begin: kit.InTransactions(func() kit.Counting { return &abortedSeenCount{kit.OfTransactions{Kind: harness.AnomalyAbortedSeen}} }),
}

type abortedSeenCount struct{ kit.OfTransactions }

// Transaction implements TransactionReader.
func (c *abortedSeenCount) Transaction(r *rows.Row, s *causes.Suspect) {
	if !s.Aborted() {
		return
	}
	for _, p := range slices.Sorted(maps.Keys(s.Log)) {
		shown := s.Log[p].Shown(r.Layout.ReadUncommittedOutput)
		c.Add(r, s, shown, func() string { return fmt.Sprintf("%s in %s", s, r.PartitionName(p)) })
	}
}

// Finish implements Counting.
func (c *abortedSeenCount) Finish(_ *kit.Facts, n *harness.Numbers) []kit.Finding {
	n.Set("abortedSeen", c.N)
	return c.Proves(kit.OnlyExactly, "%s outputs are visible though their transaction's abort was confirmed, e.g. of %s")
}
