package verifiers

import "github.com/chaeos/chaeos/harness/history"

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
			return byBroker
		}
	}
	cause := ""
	for _, o := range earlier {
		switch {
		case !s.layout.ProducerOnly && (o.life() != c.life() || o.rec.Processing != c.rec.Processing):
		case s.layout.Effects:
			return byCall
		case o.batch.ProducerID < 0 || c.batch.ProducerID < 0:
			return byResend
		case cause != "": // the first of these that explains it
		case o.batch.ProducerID != c.batch.ProducerID || o.batch.ProducerEpoch != c.batch.ProducerEpoch:
			cause = byResendAcross
		default:
			cause = byResendWithin
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
				by[bySilence]++
			} else {
				by[s.goneFrom(k.topic, seq)]++
			}
		}
		return by
	}
	dropped := map[tpo]bool{}
	for _, c := range s.copies {
		dropped[c.key] = dropped[c.key] || c.fate == aborted && !c.orphan
	}
	rest := map[int32]uint64{}
	for _, k := range lost {
		switch {
		case dropped[k]:
			by[byAbort]++
		case s.layout.ShareGroup && !s.acknowledged(k, history.OutcomeConfirmed, history.OutcomeUnknown, history.OutcomeFailed):
			by[byGivingUp]++
		default:
			rest[s.numberOf(k)]++
		}
	}
	for number, n := range rest {
		gone := min(n, s.confirmedAndGone(number))
		for _, c := range append(s.goneBy(number, gone), causeCount{bySkip, n - gone}) {
			if c.n > 0 {
				by[c.cause] += c.n
			}
		}
	}
	return by
}

// confirmedAndGone counts the outputs that workers were told are stored for good and that a partition's log lacks.
func (s *slowRow) confirmedAndGone(number int32) (n uint64) {
	if !s.whole(number) {
		return 0
	}
	for _, l := range s.lives {
		confirmed, there := l.told[history.OutcomeConfirmed][number], s.processings(l.life, number)
		n += confirmed - min(confirmed, there)
	}
	s.eachTxn(func(t *slowTxn, log map[int32]map[visibility]uint64) {
		there := log[number][visible] + log[number][hidden] + log[number][aborted]
		if t.is(true, history.OutcomeConfirmed) {
			n += t.stored[number] - min(t.stored[number], there)
		}
	})
	return n
}
