package verifiers

import (
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// duplicatesBy compares every further copy of an input with each earlier one.
func (s *slowRow) duplicatesBy() map[string]uint64 {
	var causes map[string]uint64
	for _, copies := range s.visibleOf() {
		for i := 1; i < len(copies); i++ {
			if causes == nil {
				causes = map[string]uint64{}
			}
			causes[s.causeOf(copies[i], copies[:i])]++
		}
	}
	return causes
}

func (s *slowRow) causeOf(c slowCopy, earlier []slowCopy) string {
	for _, o := range earlier {
		same := o.number == c.number && o.batch.ProducerID == c.batch.ProducerID && o.batch.ProducerEpoch == c.batch.ProducerEpoch
		if seq := c.batch.Sequence(c.rec.Offset); same && c.batch.ProducerID >= 0 && seq >= 0 && seq == o.batch.Sequence(o.rec.Offset) {
			return causes.ByBroker
		}
	}
	cause := ""
	for _, o := range earlier {
		switch {
		case !s.layout.ProducerOnly && (o.life() != c.life() || o.rec.Processing != c.rec.Processing):
		case s.layout.Effects:
			return causes.ByCall
		case o.batch.ProducerID < 0 || c.batch.ProducerID < 0:
			return causes.ByResend
		case cause != "": // the first of these that explains it
		case o.batch.ProducerID != c.batch.ProducerID || o.batch.ProducerEpoch != c.batch.ProducerEpoch:
			cause = causes.ByResendAcross
		default:
			cause = causes.ByResendWithin
		}
	}
	if cause == "" {
		return s.reprocessed(earlier[len(earlier)-1], c)
	}
	return cause
}

// lostBy splits a row's lost inputs by cause. Where only counts by partition are known, as many as confirmed outputs are gone
// count as acked but absent, and the rest was skipped.
func (s *slowRow) lostBy(lost []tpo) map[string]uint64 {
	if len(lost) == 0 {
		return nil
	}
	by := map[string]uint64{}
	if s.layout.ProducerOnly {
		for _, k := range lost {
			seq := uint64(k.offset)*parts + uint64(k.partition)
			if s.source.ends[seq] == sentEnd {
				by[causes.BySilence]++
			} else {
				by[s.goneFrom(k.topic, seq)]++
			}
		}
		return by
	}
	dropped := map[tpo]bool{}
	for _, c := range s.copies {
		dropped[c.key] = dropped[c.key] || c.shown == txns.Aborted && !c.orphan
	}
	rest := map[int32]uint64{}
	for _, k := range lost {
		switch {
		case dropped[k]:
			by[causes.ByAbort]++
		case s.layout.ShareGroup && !s.acknowledged(k, history.OutcomeConfirmed, history.OutcomeUnknown, history.OutcomeFailed):
			by[causes.ByGivingUp]++
		default:
			rest[s.numberOf(k)]++
		}
	}
	for number, n := range rest {
		gone := min(n, s.confirmedAndGone(number))
		for _, c := range append(s.goneBy(number, gone), causes.CauseCount{Cause: causes.BySkip, N: n - gone}) {
			if c.N > 0 {
				by[c.Cause] += c.N
			}
		}
	}
	return by
}

// confirmedAndGone counts the outputs that were confirmed to workers for good and that a partition's log lacks.
func (s *slowRow) confirmedAndGone(number int32) (n uint64) {
	if !s.whole(number) {
		return 0
	}
	for _, l := range s.lives {
		confirmed, there := l.learnt[history.OutcomeConfirmed][number], s.processings(l.Incarnation, number)
		n += confirmed - min(confirmed, there)
	}
	s.eachTxn(func(t *slowTxn, log map[int32]map[txns.Visibility]uint64) {
		there := log[number][txns.Visible] + log[number][txns.Hidden] + log[number][txns.Aborted]
		if t.is(true, history.OutcomeConfirmed) {
			n += t.stored[number] - min(t.stored[number], there)
		}
	})
	return n
}
