package verifiers

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// checkUnknown counts outcomes that the source under test, or a worker, never learnt, and how many of them happened, as
// the log shows. An unknown outcome excuses absence, nothing else.
func checkUnknown(e *evidence, n *harness.Numbers) []finding {
	if e.layout.ProducerOnly {
		open := e.source.unsettled()
		n.Unknown, n.UnknownHappened = open.Len(), open.And(e.out.seen).Len()
		return nil
	}
	highest := e.confirmedCommits()
	for _, w := range e.workers {
		unknownTxns(e, w, n)
		unknownOutputs(e, w, n)
		for _, c := range w.commits {
			if c.outcome == history.OutcomeUnknown {
				n.Unknown++
				if e.onlyThis(c, highest) {
					n.UnknownHappened++
				}
			}
		}
	}
	return nil
}

func unknownTxns(e *evidence, w *worker, n *harness.Numbers) {
	for ordinal, t := range w.txns {
		if !t.undecided() {
			continue
		}
		n.Unknown++
		for _, f := range e.out.txns[txnKey{w.life, ordinal}] {
			if f.visible > 0 {
				n.UnknownHappened++
				break
			}
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

// onlyThis says that the group stands past what was ever confirmed, and that this commit reaches as far: without it, the
// position could not be where it is.
func (e *evidence) onlyThis(c commit, highest map[int32]int64) bool {
	for _, o := range c.offsets {
		if final := e.final[o.Partition]; final > highest[o.Partition] && o.Offset >= final {
			return true
		}
	}
	return false
}
