package verifiers

import (
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// eachTxn shows every transaction that a history names with its records in the log by output partition and visibility.
func (s *slowRow) eachTxn(show func(t *slowTxn, log map[int32]map[txns.Visibility]uint64)) {
	for _, l := range s.lives {
		for ordinal, t := range l.txns {
			if s.layout.Effects {
				continue // no transaction holds an effect
			}
			log := map[int32]map[txns.Visibility]uint64{}
			for _, c := range s.copies {
				if c.life() == l.Incarnation && c.rec.Txn == ordinal {
					if log[c.number] == nil {
						log[c.number] = map[txns.Visibility]uint64{}
					}
					log[c.number][c.decided]++
				}
			}
			show(t, log)
		}
	}
}

// torn counts the transactions of which something took effect and something else did not.
func (s *slowRow) torn() *uint64 {
	n := uint64(0)
	s.eachTxn(func(t *slowTxn, log map[int32]map[txns.Visibility]uint64) {
		took, missed := false, false
		for _, by := range log {
			took = took || by[txns.Visible] > 0
			missed = missed || by[txns.Aborted] > 0
		}
		for p, stored := range t.stored {
			missed = missed || log[p][txns.Visible]+log[p][txns.Hidden] < stored && s.whole(p)
		}
		for _, o := range t.offsets {
			final, known := s.final[o.Partition]
			missed = missed || known && final >= 0 && final < o.Offset
			took = took || known && final >= 0 && final == o.Offset && s.wouldCommit(o) == 1
		}
		if took && missed {
			n++
		}
	})
	return &n
}

// wouldCommit counts the transactions that would have committed just this position.
func (s *slowRow) wouldCommit(at history.PartitionOffset) (n int) {
	for _, l := range s.lives {
		if !l.whole {
			return 2 // there may be more
		}
		for _, t := range l.txns {
			for _, o := range t.offsets {
				if o == at {
					n++
				}
			}
		}
	}
	return n
}

func (s *slowRow) abortedSeen() *uint64 {
	n := uint64(0)
	s.eachTxn(func(t *slowTxn, log map[int32]map[txns.Visibility]uint64) {
		for _, by := range log {
			if t.is(false, history.OutcomeConfirmed) {
				n += s.shown(by)
			}
		}
	})
	return &n
}

// shown are a transaction's records that the row's readers are given.
func (s *slowRow) shown(by map[txns.Visibility]uint64) uint64 {
	if s.layout.ReadUncommittedOutput {
		return by[txns.Visible] + by[txns.Aborted] + by[txns.Hidden]
	}
	return by[txns.Visible]
}

func (s *slowRow) committedNotSeen() *uint64 {
	n := uint64(0)
	s.eachTxn(func(t *slowTxn, log map[int32]map[txns.Visibility]uint64) {
		for p, stored := range t.stored {
			if there := log[p][txns.Visible] + log[p][txns.Hidden]; t.is(true, history.OutcomeConfirmed) && s.whole(p) && there < stored {
				n += stored - there
			}
		}
	})
	return &n
}

// contradicted counts the partitions of transactions whose control records contradict what the worker learnt.
func (s *slowRow) contradicted() *uint64 {
	n := uint64(0)
	s.eachTxn(func(t *slowTxn, log map[int32]map[txns.Visibility]uint64) {
		for _, by := range log {
			if by[txns.Visible] > 0 && (t.is(false, history.OutcomeConfirmed) || t.refused()) || by[txns.Aborted] > 0 && t.is(true, history.OutcomeConfirmed) {
				n++
			}
		}
	})
	return &n
}
