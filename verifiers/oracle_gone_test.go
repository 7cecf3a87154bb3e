package verifiers

import (
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// goneBy says how n confirmed outputs of a partition went: below its start, cut off, or for no reason that shows.
func (s *slowRow) goneBy(number int32, n uint64) []causes.CauseCount {
	topic, p := s.layout.Place(number, parts)
	deleted := min(n, uint64(s.w.deleted[ask.TopicPartition{Topic: topic, Partition: p}]))
	cut := uint64(0)
	for offset := range farthest {
		if s.cutOff(topic, p, offset) {
			cut++
		}
	}
	cut = min(cut, n-deleted)
	return []causes.CauseCount{{Cause: causes.ByDeletion, N: deleted}, {Cause: causes.ByTruncation, N: cut}, {Cause: causes.ByAbsence, N: n - deleted - cut}}
}

// farthest is beyond every offset that is drawn.
const farthest = int64(200)

// goneFrom says how an acknowledged record went from a topic.
func (s *slowRow) goneFrom(topic string, seq uint64) string {
	ack, named := s.source.ackedAt[seq]
	switch {
	case !named:
	case ack.offset < s.w.deleted[ask.TopicPartition{Topic: topic, Partition: ack.partition}]:
		return causes.ByDeletion
	case s.cutOff(topic, ack.partition, ack.offset) || s.ackedByDeposed(topic, ack) || s.replacedLater(topic, ack):
		return causes.ByTruncation
	}
	return causes.ByAbsence
}

// endOf is where a log ends.
func (s *slowRow) endOf(topic string, p int32) int64 { return s.w.log(topic, p).next }

// successor is where the first batch of a newer leader epoch begins: what an older one had above that is gone.
func (s *slowRow) successor(topic string, p, epoch int32) int64 {
	for _, b := range s.w.log(topic, p).batches {
		if !b.Damaged && b.LeaderEpoch > epoch {
			return b.First
		}
	}
	return s.endOf(topic, p)
}

// cutOff means that somebody saw more of a log than is left of it, an offset's place included.
func (s *slowRow) cutOff(topic string, p int32, offset int64) bool {
	if !s.index.Partition(topic, p).Complete {
		return false
	}
	for _, name := range []string{"observer-live", "observer-samples"} {
		for _, e := range s.w.hist(name).entries {
			from, to := int64(0), int64(0)
			switch e := e.(type) {
			case *history.DeliveredLive:
				if e.Topic == topic && e.Partition == p {
					from, to = s.endOf(topic, p), e.To
				}
			case *history.Sample:
				if e.Topic == topic && e.Partition == p && e.Broker >= 0 {
					from, to = s.successor(topic, p, e.LeaderEpoch), e.HW
				}
			case *history.LogEnd:
				if e.Topic == topic && e.Partition == p {
					from, to = s.successor(topic, p, e.LeaderEpoch), e.End
				}
			}
			if offset >= from && offset < to {
				return true
			}
		}
	}
	return false
}

// replacedLater means that the record at the place that an acknowledgement names was sent after it.
func (s *slowRow) replacedLater(topic string, ack slowAck) bool {
	if !s.index.Partition(topic, ack.partition).Complete {
		return false
	}
	for _, b := range s.w.log(topic, ack.partition).batches {
		for _, r := range b.Records {
			if !b.Damaged && r.Offset == ack.offset && r.Status <= observation.Output && r.Scheduled > ack.at {
				return true
			}
		}
	}
	return false
}

// newestBelow is the newest leader epoch of the batches that begin at or below the place that an acknowledgement names.
func (s *slowRow) newestBelow(topic string, ack slowAck) int32 {
	epoch := int32(-1)
	for _, b := range s.w.log(topic, ack.partition).batches {
		if !b.Damaged && b.First <= ack.offset {
			epoch = max(epoch, b.LeaderEpoch)
		}
	}
	return epoch
}

// ackedByDeposed means that an acknowledgement came while a broker led in an epoch of which a newer one left less than the
// offset that it names.
func (s *slowRow) ackedByDeposed(topic string, ack slowAck) bool {
	if !s.index.Partition(topic, ack.partition).Complete {
		return false
	}
	first, last := map[int32]history.Time{}, map[int32]history.Time{}
	for _, e := range s.w.hist("observer-samples").entries {
		if x, ok := e.(*history.Sample); ok && x.Topic == topic && x.Partition == ack.partition && x.Broker >= 0 {
			if at, known := first[x.LeaderEpoch]; !known || x.At < at {
				first[x.LeaderEpoch] = x.At
			}
			last[x.LeaderEpoch] = max(last[x.LeaderEpoch], x.At)
		}
	}
	newest := s.index.Partition(topic, ack.partition).LeaderEpoch
	for _, b := range s.w.log(topic, ack.partition).batches {
		if !b.Damaged {
			newest = max(newest, b.LeaderEpoch)
		}
	}
	for epoch, since := range first {
		led := ack.at >= since && ack.at <= last[epoch].Add(causes.AckSlack)
		if led && newest > epoch && (ack.offset >= s.successor(topic, ack.partition, epoch) || s.newestBelow(topic, ack) < epoch) {
			return true
		}
	}
	return false
}
