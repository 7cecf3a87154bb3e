package verifiers

import "github.com/chaeos/chaeos/harness"

// checkUnknown counts outcomes that the source under test, or a worker, never learnt, and how many of them happened, as
// the log shows. An unknown outcome excuses absence, nothing else.
func checkUnknown(e *evidence, n *harness.Numbers) []finding {
	if e.layout.ProducerOnly {
		open := e.source.unsettled()
		n.Unknown, n.UnknownHappened = open.Len(), open.And(e.out.seen).Len()
		return nil
	}
	highest := e.confirmedCommits()
	n.Unknown, n.UnknownHappened = e.txns.unknown, e.txns.unknownHappened
	for _, w := range e.workers {
		unknownOutputs(e, w, n)
		n.Unknown += w.unknownCommits.n
		n.UnknownHappened += w.unknownCommits.happened(e.final, highest)
	}
	return nil
}

func unknownTxn(e *evidence, s *suspect) {
	if !s.undecided() {
		return
	}
	e.txns.unknown++
	for _, f := range s.log {
		if f.visible > 0 {
			e.txns.unknownHappened++
			break
		}
	}
}

// unknownOutputs: of a worker's outputs in a partition, those in the log beyond the confirmed ones happened.
func unknownOutputs(e *evidence, w *worker, n *harness.Numbers) {
	for p, unknown := range w.unknown {
		n.Unknown += unknown
		if there := e.out.lives[w.life][p].present(); there > w.confirmed[p] {
			n.UnknownHappened += min(unknown, there-w.confirmed[p])
		}
	}
}
