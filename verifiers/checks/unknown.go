package checks

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/saved"
	"github.com/chaeos/chaeos/verifiers/words"
)

// checkUnknown counts outcomes that the source under test, or a worker, never learnt, and settles them by the log: "unknown,
// happened" where their effect is visible, "unknown, did not" where it isn't. Either is allowed; a second copy, or half an
// effect, is not, and other checks find it.
func checkUnknown(e *Facts, n *harness.Numbers) []Finding {
	if e.Layout.ProducerOnly {
		open := e.Source.Unsettled()
		n.Unknown, n.UnknownHappened = open.Len(), open.And(e.Out.Visible).Len()
		n.UnknownDidNot = n.Unknown - n.UnknownHappened
		return unknownNote(n, nil)
	}
	highest := e.ConfirmedCommits()
	n.UnknownCommits, n.UnknownCommitsHappened = e.txns.unknown.n, e.txns.unknownHappened
	for _, w := range e.Workers {
		unknownOutputs(e, w, n)
		n.UnknownCommits += w.UnknownCommits.N
		n.UnknownCommitsHappened += w.UnknownCommits.Happened(e.FinalOffsets, highest)
	}
	n.Unknown += n.UnknownCommits
	n.UnknownHappened += n.UnknownCommitsHappened
	n.UnknownDidNot = n.Unknown - n.UnknownHappened
	return unknownNote(n, e.txns.unknown.anomalies)
}

// unknownNote says how the log decided what nobody learnt.
func unknownNote(n *harness.Numbers, anomalies []harness.Anomaly) []Finding {
	if n.Unknown == 0 {
		return nil
	}
	produces, happened := n.Unknown-n.UnknownCommits, n.UnknownHappened-n.UnknownCommitsHappened
	text := fmt.Sprintf("outcomes never learnt: of %s produces %s happened and %s did not, of %s commits %s happened and %s did not", words.Number(produces),
		words.Number(happened), words.Number(produces-happened), words.Number(n.UnknownCommits), words.Number(n.UnknownCommitsHappened), words.Number(n.UnknownCommits-n.UnknownCommitsHappened))
	for _, a := range anomalies[:min(len(anomalies), causes.MaxExamples)] {
		text += "; " + a.Text
	}
	return with(note("%s", text), anomalies)
}

func unknownTxn(e *rows.Row, sums *txnCounts, s *causes.Suspect) {
	if !s.Undecided() || e.Layout.Effects { // where there are effects, it is a commit of its worker
		return
	}
	happened := false
	for _, f := range s.Log {
		happened = happened || f.Visible > 0
	}
	if happened {
		sums.unknownHappened++
	}
	sums.unknown.add(e, harness.AnomalyUnknown, s, 1, func() string { return fmt.Sprintf("%s: unknown, %s", s, decision(s.Decided())) })
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

// unknownOutputs: of a worker's outputs in a partition, those in the log beyond the confirmed ones happened. A further copy of
// one is a duplicate and no other output; but an external service is called anew for it, and each call has its own outcome.
func unknownOutputs(e *Facts, w *saved.Worker, n *harness.Numbers) {
	for p, unknown := range w.Unknown {
		n.Unknown += unknown
		there := causes.Processings(e.Row, e.Duplicates, w.Incarnation, p)
		if e.Layout.Effects {
			there = e.Out.Incarnations[w.Incarnation][p].Present()
		}
		if there > w.Confirmed[p] {
			n.UnknownHappened += min(unknown, there-w.Confirmed[p])
		}
	}
}
