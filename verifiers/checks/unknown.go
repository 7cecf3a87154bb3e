package checks

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/saved"
	"github.com/chaeos/chaeos/verifiers/words"
)

var unknown = kit.Check{
	Name:    "unknown",
	About:   "counts outcomes that the source under test, or a worker, never learnt, and decides them by the log",
	Control: "unknown records, one of which is there",
	Numbers: []harness.Number{
		{
			Key: "unknown", Header: "UNKNOWN", Text: unknownText,
			Means: "Outcomes that a client never learnt: of records of a source under test, of outputs and offset commits outside\n" +
				"transactions, and of transactions' commits (which decide everything in the transaction). A refused acknowledgement to a\n" +
				"share group counts too: a client sends a lost request again, and the first one may have been applied. The log resolves\n" +
				"them: *unknown, happened* or *unknown, did not*. Either is allowed. A second copy is a duplicate, and half a transaction\n" +
				"is torn.",
			Unseen: "outcomes that a client learnt wrongly: those are phantoms, or contradicted. And outputs that a killed worker's history does not mention.",
		},
		{
			Key: "unknownHappened", Header: "UNKNOWN HAPPENED", Show: harness.DataOnly,
			Means: "Those of them that took effect visibly: the record is there, or the transaction's outputs, or a final committed offset\n" +
				"that is past every confirmed commit and just what this commit names. Several commits of the same offset all count.",
			Unseen: "a commit that happened and was passed by a later confirmed one, or an acknowledgement to a share group: they count as not happened.",
		},
		{
			Key: "unknownDidNot", Header: "UNKNOWN DID NOT", Show: harness.DataOnly,
			Means:  "The rest of them: nothing of them is visible.",
			Unseen: "what is still hidden behind an open transaction.",
		},
		{
			Key: "unknownCommits", Header: "UNKNOWN COMMITS", Show: harness.DataOnly,
			Means:  "Those of the unknown outcomes that are offset commits or ends of transactions; the rest are produces.",
			Unseen: "which of several requests of one commit was lost.",
		},
		{
			Key: "unknownCommitsHappened", Header: "UNKNOWN COMMITS HAPPENED", Show: harness.DataOnly,
			Means:  "Unknown commits that took effect visibly.",
			Unseen: "see unknown happened.",
		},
	},
	Begin: func(s *rows.Subject) kit.Counting {
		if s.SourceUnderTest() {
			return kit.AtEnd(finishUnknownOfSource)
		}
		return &unknownCount{commits: kit.OfTransactions{Kind: harness.AnomalyUnknown}}
	},
}

// unknownText is two figures in one column: how many outcomes were never learnt, and how many of those took effect.
func unknownText(n harness.Numbers, format func(any) string) string {
	all := n.Count("unknown")
	if all == 0 {
		return "0"
	}
	return format(all) + ", " + format(n.Count("unknownHappened")) + " took effect"
}

func finishUnknownOfSource(f *kit.Facts, n *harness.Numbers) []kit.Finding {
	open := f.Source.Unresolved()
	return outcomes{produces: open.Len(), produced: open.And(f.Out.Visible).Len()}.set(n, nil)
}

// unknownCount counts what a row's workers never learnt.
type unknownCount struct {
	commits  kit.OfTransactions
	happened uint64
}

// Transaction implements TransactionReader. A commit is allowed to have happened or not; a second copy, or half an outcome, is
// not, and other checks find it.
func (c *unknownCount) Transaction(r *rows.Row, s *causes.Suspect) {
	if !s.Undecided() || !r.HasLSO() { // where there are side effects, it is a commit of its worker
		return
	}
	for _, t := range s.Log {
		if t.Visible > 0 {
			c.happened++
			break
		}
	}
	c.commits.Add(r, s, 1, func() string { return fmt.Sprintf("%s: unknown, %s", s, decision(s.Decided())) })
}

// decision says what the log says of an unknown end.
func decision(decided string) string {
	switch decided {
	case "committed":
		return "happened: its outputs are committed"
	case "aborted":
		return "did not: its outputs are aborted"
	case "open":
		return "did not: its outputs have no control record yet"
	case "nothing of it":
		return "did not: no output of it is in the log"
	}
	return "half happened: " + decided
}

// Finish implements Counting.
func (c *unknownCount) Finish(f *kit.Facts, n *harness.Numbers) []kit.Finding {
	o := outcomes{commits: c.commits.N, committed: c.happened}
	for _, w := range f.Workers {
		o.commits += w.UnknownCommits.N
		o.committed += w.UnknownCommits.Happened(f.Final, f.Confirmed)
		o.outputs(f, w)
	}
	return o.set(n, c.commits.Anomalies)
}

// outcomes are what was never learnt: produces and commits, and those of each that happened.
type outcomes struct{ produces, produced, commits, committed uint64 }

// outputs adds a worker's: of its outputs in a partition, those in the log beyond the confirmed ones happened. A further copy
// of one is a duplicate and no other output; but an external service is called again for it, and each call has its own
// outcome.
func (o *outcomes) outputs(f *kit.Facts, w *saved.Worker) {
	for p, n := range w.Unknown {
		o.produces += n
		there := causes.Processings(f.Row, f.Copies, w.Incarnation, p)
		if !f.HasLSO() {
			there = f.Out.Incarnations[w.Incarnation][p].Present()
		}
		if there > w.Confirmed[p] {
			o.produced += min(n, there-w.Confirmed[p])
		}
	}
}

// set gives the numbers their values, and says how the log decided.
func (o outcomes) set(n *harness.Numbers, anomalies []harness.Anomaly) []kit.Finding {
	all, happened := o.produces+o.commits, o.produced+o.committed
	n.Set("unknown", all)
	n.Set("unknownHappened", happened)
	n.Set("unknownDidNot", all-happened)
	n.Set("unknownCommits", o.commits)
	n.Set("unknownCommitsHappened", o.committed)
	if all == 0 {
		return nil
	}
	text := fmt.Sprintf("outcomes never learnt: of %s produces %s happened and %s did not, of %s commits %s happened and %s did not",
		words.Number(o.produces), words.Number(o.produced), words.Number(o.produces-o.produced),
		words.Number(o.commits), words.Number(o.committed), words.Number(o.commits-o.committed))
	for _, a := range anomalies[:min(len(anomalies), causes.MaxExamples)] {
		text += "; " + a.Text
	}
	return kit.With(kit.Note("%s", text), anomalies)
}
