package verifiers

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
)

// checkUnknown counts outcomes that the source under test, or a worker, never learnt, and settles them by the log: "unknown,
// happened" where their effect is visible, "unknown, did not" where it isn't. Either is allowed; a second copy, or half an
// effect, is not, and other checks find it.
func checkUnknown(e *facts, n *harness.Numbers) []finding {
	if e.layout.ProducerOnly {
		open := e.source.unsettled()
		n.Unknown, n.UnknownHappened = open.Len(), open.And(e.out.seen).Len()
		n.UnknownDidNot = n.Unknown - n.UnknownHappened
		return unknownNote(n, nil)
	}
	highest := e.confirmedCommits()
	n.UnknownCommits, n.UnknownCommitsHappened = e.txns.unknown.n, e.txns.unknownHappened
	for _, w := range e.workers {
		unknownOutputs(e, w, n)
		n.UnknownCommits += w.unknownCommits.n
		n.UnknownCommitsHappened += w.unknownCommits.happened(e.final, highest)
	}
	n.Unknown += n.UnknownCommits
	n.UnknownHappened += n.UnknownCommitsHappened
	n.UnknownDidNot = n.Unknown - n.UnknownHappened
	return unknownNote(n, e.txns.unknown.anomalies)
}

// unknownNote says how the log decided what nobody learnt.
func unknownNote(n *harness.Numbers, anomalies []harness.Anomaly) []finding {
	if n.Unknown == 0 {
		return nil
	}
	produces, happened := n.Unknown-n.UnknownCommits, n.UnknownHappened-n.UnknownCommitsHappened
	text := fmt.Sprintf("outcomes never learnt: of %s produces %s happened and %s did not, of %s commits %s happened and %s did not", number(produces),
		number(happened), number(produces-happened), number(n.UnknownCommits), number(n.UnknownCommitsHappened), number(n.UnknownCommits-n.UnknownCommitsHappened))
	for _, a := range anomalies[:min(len(anomalies), maxExamples)] {
		text += "; " + a.Text
	}
	return with(note("%s", text), anomalies)
}

func unknownTxn(e *row, sums *txnSums, s *suspect) {
	if !s.undecided() || e.layout.Effects { // where there are effects, it is a commit of its worker
		return
	}
	happened := false
	for _, f := range s.log {
		happened = happened || f.visible > 0
	}
	if happened {
		sums.unknownHappened++
	}
	sums.unknown.add(e, harness.AnomalyUnknown, s, 1, func() string { return fmt.Sprintf("%s: unknown, %s", s, decision(s.decided())) })
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
func unknownOutputs(e *facts, w *worker, n *harness.Numbers) {
	for p, unknown := range w.unknown {
		n.Unknown += unknown
		there := processings(e.row, e.duplicates, w.life, p)
		if e.layout.Effects {
			there = e.out.lives[w.life][p].present()
		}
		if there > w.confirmed[p] {
			n.UnknownHappened += min(unknown, there-w.confirmed[p])
		}
	}
}
