package checks

import (
	"fmt"
	"maps"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/rows"
)

var torn = kit.Check{
	Name:    "torn",
	About:   "counts transactions of which some outputs, or the offset commit, took effect and others did not",
	Control: "a torn transaction over two partitions",
	Numbers: []harness.Number{
		{
			Key: "torn", Header: "TORN", Absent: harness.Null, Worst: true,
			Means: "Transactions of which a part took effect and a part did not: their outputs (those in the log, and the confirmed ones),\n" +
				"in all topics, and their offset commit. Of a source under test: transactions whose records are committed in one place and\n" +
				"aborted, or missing after the source asked to commit, in another.",
			Unseen: "an offset commit that a later one has passed: it is proof only if it would have committed just the final committed offset, or lies beyond it.",
		},
	},
	Begin: func(s *rows.Subject) kit.Counting {
		of := kit.OfTransactions{Kind: harness.AnomalyTorn}
		switch {
		case kit.WritesTransactions(s):
			return &tornSent{of, kit.NewSentTransactions(s)}
		case s.OutputsInTransactions():
			return &tornCount{of}
		}
		return nil
	},
}

type tornCount struct{ kit.OfTransactions }

// Transaction implements TransactionReader.
func (c *tornCount) Transaction(r *rows.Row, s *causes.Suspect) {
	if took, missed := outcomesOf(r, s); took != "" && missed != "" {
		c.Add(r, s, 1, func() string { return fmt.Sprintf("%s: %s, but %s", s, took, missed) })
	}
}

const tornText = "%s transactions took effect in part, e.g. %s"

// Finish implements Counting.
func (c *tornCount) Finish(_ *kit.Facts, n *harness.Numbers) []kit.Finding {
	n.Set("torn", c.N)
	return c.Proves(kit.OnlyExactly, tornText)
}

// tornSent counts those of a source under test.
type tornSent struct {
	kit.OfTransactions
	*kit.SentTransactions
}

// Finish implements Counting.
func (c *tornSent) Finish(f *kit.Facts, n *harness.Numbers) []kit.Finding {
	for _, t := range c.All() {
		if took, missed := outcomesOfSent(f, t); took != "" && missed != "" {
			c.AddSent(f.Row, t, 1, func() string { return fmt.Sprintf("%s: %s, but %s", t, took, missed) })
		}
	}
	n.Set("torn", c.N)
	return c.Proves(kit.OnlyExactly, tornText)
}

// outcomesOfSent says what of a source's transaction took effect, and what did not. All of its records are stored before the
// source asks to commit, so what is missing then was there.
func outcomesOfSent(f *kit.Facts, t *kit.SentTransaction) (took, missed string) {
	for _, p := range slices.Sorted(maps.Keys(t.Log)) {
		if x := t.Log[p]; x.Visible > 0 {
			took = fmt.Sprintf("%d records in %s are visible", x.Visible, f.PartitionName(p))
		}
		if x := t.Log[p]; x.Aborted > 0 {
			missed = fmt.Sprintf("%d records in %s are aborted", x.Aborted, f.PartitionName(p))
		}
	}
	if t.SourceTxn == nil || t.SourceTxn.Producer < 0 || !t.AskedToCommit() || missed != "" || !wholeFromStart(f) {
		return took, missed
	}
	sum := t.Sum()
	if there := uint64(sum.Visible) + uint64(sum.Hidden); there < t.Count {
		missed = fmt.Sprintf("%d of %d are not in the log", t.Count-there, t.Count)
	}
	return took, missed
}

// wholeFromStart reports whether the row's logs were read to their ends, from their first offsets on.
func wholeFromStart(f *kit.Facts) bool {
	return !slices.ContainsFunc(f.Out.Parts, func(p *logs.Partition) bool { return !p.Whole || p.Info.LogStart > 0 || p.Missing > 0 })
}

// outcomesOf says what of a transaction took effect, and what did not.
func outcomesOf(r *rows.Row, s *causes.Suspect) (took, missed string) {
	for _, p := range slices.Sorted(maps.Keys(s.Log)) {
		if t := s.Log[p]; t.Visible > 0 {
			took = fmt.Sprintf("%d outputs in %s are visible", t.Visible, r.PartitionName(p))
		}
		if t := s.Log[p]; t.Aborted > 0 {
			missed = fmt.Sprintf("%d outputs in %s are aborted", t.Aborted, r.PartitionName(p))
		}
	}
	for _, p := range slices.Sorted(maps.Keys(s.Confirmed)) {
		if there := s.Log[p].Present(); there < s.Confirmed[p] && r.Out.Whole(p) {
			missed = fmt.Sprintf("%d of %d outputs in %s are not", s.Confirmed[p]-there, s.Confirmed[p], r.PartitionName(p))
		}
	}
	for _, o := range s.Offsets {
		final, known := r.Final[o.Partition]
		switch {
		case !known || final < 0: // what is deleted may have been committed before
		case final < o.Offset && missed == "":
			missed = fmt.Sprintf("offset %d of input partition %d is not committed", o.Offset, o.Partition)
		case final == o.Offset && took == "" && r.OnlyCommitOf(o.Partition):
			took = fmt.Sprintf("offset %d of input partition %d is committed", o.Offset, o.Partition)
		}
	}
	return took, missed
}
