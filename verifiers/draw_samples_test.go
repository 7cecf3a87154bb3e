package verifiers

import (
	"cmp"
	"slices"

	"pgregory.net/rapid"

	"github.com/chaeos/chaeos/harness/history"
)

// drawSamples are a few partitions' last stable offsets over some seconds: standing, moving, of an older leader, of none,
// and missing. The others stand still at their ends.
func drawSamples(t *rapid.T, w *world) {
	f := w.hist("observer-samples")
	f.entries = nil
	most := rapid.IntRange(0, 40).Draw(t, "samples")
	for _, layout := range w.record.Plan.Pipelines {
		drawn := rapid.IntRange(-1, parts-1).Draw(t, "sampled")
		for number := range int32(parts * len(layout.Outputs())) {
			topic, p := layout.Place(number, parts)
			end := w.log(topic, p).next
			s := history.Sample{Topic: topic, Partition: p, Broker: 1, LSO: end, HW: end}
			if rapid.Bool().Draw(t, "by the newest leader") {
				s.LeaderEpoch = w.log(topic, p).newest()
			}
			for i := range most {
				x := s
				x.At = at(uint64(100 * i))
				if int(p) == drawn && !drawSample(t, &x, end) {
					continue
				}
				f.add(&x)
			}
		}
	}
	f.add(w.showed...)
	slices.SortStableFunc(f.entries, func(a, b history.Entry) int { return cmp.Compare(sampledAt(a), sampledAt(b)) })
	if rapid.Bool().Draw(t, "late load") {
		w.record.LoadStart = at(500)
	}
}

// newest is the leader epoch of a log's last batch.
func (l *topicLog) newest() (epoch int32) {
	for _, b := range l.batches {
		epoch = max(epoch, b.LeaderEpoch)
	}
	return epoch
}

func sampledAt(e history.Entry) history.Time {
	if s, ok := e.(*history.Sample); ok {
		return s.At
	}
	return e.(*history.LogEnd).At
}

// drawSample draws what one sample says; false: it is missing.
func drawSample(t *rapid.T, s *history.Sample, end int64) bool {
	s.LSO = min(end, rapid.SampledFrom([]int64{3, 3, 3, 3, 3, 3, 3, 4}).Draw(t, "lso"))
	switch rapid.IntRange(0, 11).Draw(t, "sample") {
	case 0:
		return rapid.Bool().Draw(t, "there")
	case 1:
		s.Broker, s.LeaderEpoch, s.LSO, s.HW = -1, -1, -1, -1
	case 2:
		s.LSO = end
	}
	return true
}

// drawSeen takes deliveries to the live reader away.
func drawSeen(t *rapid.T, w *world) {
	for _, e := range w.hist("observer-live").entries {
		if s, ok := e.(*history.DeliveredLive); ok && rapid.IntRange(0, 9).Draw(t, "seen") == 0 {
			s.New = rapid.Uint64Range(0, s.New).Draw(t, "new")
		}
	}
}
