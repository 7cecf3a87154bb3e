package observe

import (
	"context"

	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/history"
)

// leaderless is how old a partition's newest answer may be before the partition is recorded as having no leader.
const leaderless = Interval + Interval/2

// partition is what is known of one partition now.
type partition struct {
	newest history.Sample
	// since is when the last stable offset was first seen where it is, behind the high watermark (0: it is not behind).
	since, probed history.Time
	// named is the transaction at the last stable offset, where it was found.
	named *history.TransactionAtLSO
	// logEnd is the newest log end that was written.
	logEnd history.LogEnd
}

// take makes samples of one broker's answers. A broker that can't answer is what faults are about: watch records the
// partitions that have no answer.
func (s *sampler) take(a *asker, receive func() (fresh bool, err error)) (entries []history.Entry) {
	if fresh, err := receive(); err != nil || !fresh {
		return nil
	}
	now := history.Now()
	for tp, hw := range a.ends[askHW] {
		lso, ok := a.ends[askLSO][tp]
		if !ok || hw.Err != nil || lso.Err != nil || hw.Offset < 0 || lso.Offset < 0 || hw.Epoch != lso.Epoch {
			continue
		}
		e := &history.Sample{
			Stamp: history.At(now), Topic: tp.Topic, Partition: tp.Partition, Broker: a.broker, LeaderEpoch: lso.Epoch,
			LSO: lso.Offset, HW: max(hw.Offset, lso.Offset),
		}
		entries = append(entries, e)
		s.note(tp, *e)
	}
	if a.viewed {
		entries = append(entries, a.changedViews(now)...)
	}
	return append(entries, s.logEnds(now, a)...)
}

// logEnds returns the ends of the logs that a broker leads: records above the high watermark are gone if it loses its
// leadership now. Only a new end above the high watermark is worth an entry.
func (s *sampler) logEnds(now history.Time, a *asker) (entries []history.Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for tp, end := range a.ends[askLogEnd] {
		hw, leads := a.ends[askHW][tp]
		if !leads || hw.Err != nil || hw.Offset < 0 || end.Err != nil || end.Epoch != hw.Epoch || end.Offset <= hw.Offset {
			continue
		}
		e := history.LogEnd{Stamp: history.At(now), Topic: tp.Topic, Partition: tp.Partition, Broker: a.broker, LeaderEpoch: end.Epoch, End: end.Offset}
		if last := s.state[tp].logEnd; last.End == e.End && last.LeaderEpoch == e.LeaderEpoch {
			continue
		}
		s.state[tp].logEnd = e
		entries = append(entries, &e)
	}
	return entries
}

// note remembers the newest sample, and since when the last stable offset does not advance.
func (s *sampler) note(tp ask.TopicPartition, e history.Sample) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.state[tp]
	if e.LeaderEpoch < st.newest.LeaderEpoch {
		return // a cut-off leader's frozen answer
	}
	switch {
	case e.LSO >= e.HW:
		st.since = 0
	case st.since == 0 || e.LSO != st.newest.LSO:
		st.since = e.At
	}
	if st.named != nil && e.LSO > st.named.LSO {
		s.ended = append(s.ended, *st.named)
		st.named = nil
	}
	st.newest = e
}

// watch records partitions that no broker answers for as their leader (Broker -1, no offsets), and looks into long stalls.
func (s *sampler) watch(ctx context.Context) {
	now := history.Now()
	var entries []history.Entry
	s.mu.Lock()
	for tp, st := range s.state {
		if now.Sub(st.newest.At) > leaderless {
			entries = append(entries, &history.Sample{Stamp: history.At(now), Topic: tp.Topic, Partition: tp.Partition, Broker: -1, LeaderEpoch: -1, LSO: -1, HW: -1})
		}
	}
	s.mu.Unlock()
	s.write(entries)
	s.askEnded(ctx)
	s.probe(ctx, now)
}

// largestLag is how far a last stable offset of the topic is behind its high watermark at most.
func (s *sampler) largestLag(topic string) (lag int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for tp, st := range s.state {
		if tp.Topic == topic {
			lag = max(lag, st.newest.HW-st.newest.LSO)
		}
	}
	return lag
}
