package verifiers

import (
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// processings counts the processings outside transactions of which an output partition holds something: a further copy of
// one is a duplicate, and no output of its own. An orphan's copies are not known for one another's: its input is not there.
func (s *slowRow) processings(l txns.Incarnation, number int32) uint64 {
	type processing struct {
		key     tpo
		ordinal uint64
		orphan  int64
	}
	found := map[processing]bool{}
	for _, c := range s.copies {
		if c.life() == l && c.number == number && (c.rec.Txn == 0 || s.layout.Effects) && c.shown != txns.Aborted {
			at := processing{key: c.key, ordinal: c.rec.Processing}
			if c.orphan {
				at.orphan = 1 + c.rec.Offset
			}
			found[at] = true
		}
	}
	return uint64(len(found))
}

// calls counts what an external service stored for a life: each call has an outcome of its own.
func (s *slowRow) calls(l txns.Incarnation, number int32) (n uint64) {
	for _, c := range s.copies {
		if c.life() == l && c.number == number {
			n++
		}
	}
	return n
}

// unknown counts the outcomes that were never learnt, and those that took effect.
func (s *slowRow) unknown(n *figures) {
	defer func() {
		n.Unknown += n.UnknownCommits
		n.UnknownHappened += n.UnknownCommitsHappened
		n.UnknownDidNot = n.Unknown - n.UnknownHappened
	}()
	if s.layout.ProducerOnly {
		seen := s.visibleOf()
		for _, seq := range s.source.untold() {
			n.Unknown++
			if len(seen[bySeq(s.layout.Output, seq)]) > 0 {
				n.UnknownHappened++
			}
		}
		return
	}
	for _, l := range s.lives {
		for p, unknown := range l.learnt[history.OutcomeUnknown] {
			n.Unknown += unknown
			there, confirmed := s.processings(l.Incarnation, p), l.learnt[history.OutcomeConfirmed][p]
			if s.layout.Effects {
				there = s.calls(l.Incarnation, p)
			}
			n.UnknownHappened += min(unknown, there-min(there, confirmed))
		}
		for _, a := range l.acknowledgements {
			if a.Outcome != history.OutcomeConfirmed { // a refusal proves nothing: the request before may have been applied
				n.UnknownCommits++
			}
		}
		for _, c := range l.commits {
			if c.outcome == history.OutcomeUnknown {
				n.UnknownCommits++
				if s.moved(c) {
					n.UnknownCommitsHappened++
				}
			}
		}
	}
	s.eachTxn(func(t *slowTxn, log map[int32]map[txns.Visibility]uint64) {
		if !t.undecided() {
			return
		}
		n.UnknownCommits++
		for _, by := range log {
			if by[txns.Visible] > 0 {
				n.UnknownCommitsHappened++
				return
			}
		}
	})
}

// moved means that the group stands, somewhere, just where a commit would have moved it, and past every confirmed one.
func (s *slowRow) moved(c slowCommit) bool {
	for _, o := range c.offsets {
		if s.final[o.Partition] == o.Offset && o.Offset > s.confirmed[o.Partition] {
			return true
		}
	}
	return false
}

// phantoms counts visible records whose writing was reported as failed, or whose commit was refused or never asked for.
func (s *slowRow) phantoms() (n uint64) {
	if s.layout.ProducerOnly {
		seen := s.visibleOf()
		for seq, end := range s.source.ends {
			if end == failedEnd && len(seen[bySeq(s.layout.Output, seq)]) > 0 {
				n++
			}
		}
		return n
	}
	for _, l := range s.lives {
		for p, failed := range l.learnt[history.OutcomeFailed] {
			there, possible := s.processings(l.Incarnation, p), l.learnt[history.OutcomeConfirmed][p]+l.learnt[history.OutcomeUnknown][p]
			if l.closed {
				n += min(failed, there-min(there, possible))
			}
		}
	}
	s.eachTxn(func(t *slowTxn, log map[int32]map[txns.Visibility]uint64) {
		for _, by := range log {
			if t.refused() {
				n += s.shown(by)
			}
		}
	})
	return n
}
