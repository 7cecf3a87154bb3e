package checks

import (
	"fmt"
	"maps"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/words"
)

var phantom = kit.Check{
	Name:    "phantom",
	About:   "counts visible records whose writing was reported as failed, or whose commit was refused or never asked for",
	Control: "a refused commit that happened",
	Numbers: []harness.Number{
		{
			Key: "phantom", Header: "PHANTOM", Show: harness.WhenNonZero,
			Means: "Records that are visible although writing them was reported as failed, or although their transaction's commit was\n" +
				"refused or never asked for. This violates exactly-once; the other guarantees don't speak of it.",
			Unseen: "a failed output that another incarnation's copy of the same input hides, or one of a worker whose history was not closed.",
		},
	},
	Begin: func(s *rows.Subject) kit.Counting {
		if s.SourceUnderTest() {
			return kit.AtEnd(finishPhantomOfSource)
		}
		return &phantomCount{kit.OfTransactions{Kind: harness.AnomalyPhantom}}
	},
}

const phantomTextOf = "%s records are visible whose writing was reported as failed"

func finishPhantomOfSource(f *kit.Facts, n *harness.Numbers) []kit.Finding {
	phantoms := phantomsOfSource(f).Len()
	n.Set("phantom", phantoms)
	if phantoms == 0 {
		return nil
	}
	return kit.Breaks(kit.OnlyExactly, phantomTextOf, words.Number(phantoms))
}

func phantomsOfSource(f *kit.Facts) *keyset.Set { return f.Source.Failed.And(f.Out.Visible) }

type phantomCount struct{ kit.OfTransactions }

// Transaction implements TransactionReader.
func (c *phantomCount) Transaction(r *rows.Row, s *causes.Suspect) {
	if !s.Refused() {
		return
	}
	for _, p := range slices.Sorted(maps.Keys(s.Log)) {
		shown := s.Log[p].Shown(r.Layout.ReadUncommittedOutput)
		c.Add(r, s, shown, func() string {
			return fmt.Sprintf("%s (%s): %d outputs in %s", s, s.OutcomeText(), shown, r.PartitionName(p))
		})
	}
}

// Finish implements Counting.
func (c *phantomCount) Finish(f *kit.Facts, n *harness.Numbers) []kit.Finding {
	phantoms := failedAndVisible(f) + c.N
	n.Set("phantom", phantoms)
	if phantoms == 0 {
		return nil
	}
	text := phantomTextOf
	if x := c.First(); x != "" {
		text += ", e.g. " + x
	}
	return kit.With(kit.Breaks(kit.OnlyExactly, text, words.Number(phantoms)), c.Anomalies)
}

// failedAndVisible compares, for workers that closed their history, what is in the log with what can be: everything but the
// definite failures. Further copies of one processing are duplicates, not phantoms.
func failedAndVisible(f *kit.Facts) (n uint64) {
	for _, w := range f.Workers {
		if !w.Ended || !w.Whole {
			continue
		}
		for p, failed := range w.Failed {
			there, possible := causes.Processings(f.Row, f.Copies, w.Incarnation, p), w.Confirmed[p]+w.Unknown[p]
			if there > possible {
				n += min(failed, there-possible)
			}
		}
	}
	return n
}
