package verifiers

import (
	"iter"

	"pgregory.net/rapid"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/history"
)

// topicsOf are all topics that brokers have.
func topicsOf(w *world) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !yield(inTopic) {
			return
		}
		for _, topic := range w.record.Plan.Outputs() {
			if !yield(topic) {
				return
			}
		}
	}
}

// drawElection gives a partition's batches from some place on a newer leader epoch, and lets somebody have seen more of
// the log than that: a live reader, or who sampled the older leader's watermark or log end.
func drawElection(t *rapid.T, w *world, topic string) {
	l := drawPartition(t, w, topic)
	p := l.partition(w, topic)
	if n := len(l.batches); n > 0 {
		epoch := int32(rapid.IntRange(1, 3).Draw(t, "epoch"))
		for _, b := range l.batches[rapid.IntRange(0, n-1).Draw(t, "from batch"):] {
			b.LeaderEpoch = max(b.LeaderEpoch, epoch)
		}
	}
	seen := rapid.Int64Range(0, l.next+8).Draw(t, "seen")
	epoch, now := int32(rapid.IntRange(0, 3).Draw(t, "in epoch")), at(uint64(rapid.IntRange(0, 120).Draw(t, "at")))
	switch rapid.IntRange(0, 3).Draw(t, "by") {
	case 0:
		w.hist("observer-live").add(&history.DeliveredLive{Stamp: history.At(now), Topic: topic, Partition: p, From: max(0, seen-1), To: seen, Count: 1})
	case 1:
		w.showed = append(w.showed, &history.Sample{Stamp: history.At(now), Topic: topic, Partition: p, Broker: 1, LeaderEpoch: epoch, LSO: seen, HW: seen})
	case 2:
		w.showed = append(w.showed, &history.LogEnd{Stamp: history.At(now), Topic: topic, Partition: p, Broker: 1, LeaderEpoch: epoch, End: seen})
	}
}

func (l *topicLog) partition(w *world, topic string) int32 {
	for p := range int32(parts) {
		if w.log(topic, p) == l {
			return p
		}
	}
	panic("no log of " + topic)
}

// drawDeletion moves a log's start, by a fault that was recorded or by none.
func drawDeletion(t *rapid.T, w *world) {
	topic := rapid.SampledFrom(append([]string{inTopic}, w.record.Plan.Outputs()...)).Draw(t, "deleted from")
	l := drawPartition(t, w, topic)
	p, start := l.partition(w, topic), rapid.Int64Range(1, 15).Draw(t, "log start")
	if start > l.next || w.deleted[ask.TopicPartition{Topic: topic, Partition: p}] > 0 {
		return
	}
	w.deleted[ask.TopicPartition{Topic: topic, Partition: p}] = start
	for len(l.batches) > 0 && l.batches[0].Last < start {
		l.batches = l.batches[1:]
	}
	if len(l.batches) > 0 {
		b := cloneBatch(l.batches[0])
		l.batches[0] = b
		for len(b.Records) > 0 && b.Records[0].Offset < start {
			l.dropRecord(b, 0)
		}
	}
	if rapid.Bool().Draw(t, "by a fault") {
		f := w.fault(0, 10)
		f.Fault, f.Lasting = "delete-records", []harness.Lasting{{What: harness.LogStartMoved, Topic: topic, Partition: p, To: start}}
	}
}
