package verifiers

import (
	"time"

	"github.com/chaeos/chaeos/harness/history"
)

// stalls looks for the times in which a partition's last stable offset stood still below its high watermark.
func (s *slowRow) stalls(n *figures) {
	var count uint64
	var longest, total time.Duration
	gap := false
	for number := range int32(parts * len(s.layout.Outputs())) {
		heard, samples := s.samplesOf(number)
		if len(samples) == 0 {
			gap = true
		}
		for i := range heard {
			next := s.newest()
			if i+1 < len(heard) {
				next = heard[i+1]
			}
			gap = gap || next.Sub(heard[i]) > 300*time.Millisecond && next >= s.w.record.LoadStart
		}
		for i := 0; i < len(samples); {
			first, end := samples[i], i
			for end < len(samples) && samples[end].LSO == first.LSO && samples[end].LSO < samples[end].HW {
				end++
			}
			if end == i {
				i++
				continue
			}
			last := samples[min(end, len(samples)-1)]
			if length := last.At.Sub(max(first.At, s.w.record.LoadStart)); length > time.Second {
				count++
				total += length
				longest = max(longest, length)
			}
			i = end
		}
	}
	if count > 0 || !gap && s.layout.Transactional {
		n.LSOStalls, n.LongestStall, n.TotalStall = &count, &longest, &total
	}
}

// samplesOf are a partition's samples from the leader of the newest epoch so far, and when anything was heard of it.
func (s *slowRow) samplesOf(number int32) (heard []history.Time, samples []*history.Sample) {
	topic, p := s.layout.Place(number, parts)
	epoch := int32(0)
	for _, e := range s.w.hist("observer-samples").entries {
		x, ok := e.(*history.Sample)
		switch {
		case !ok || x.Topic != topic || x.Partition != p:
		case x.Broker < 0: // no broker led it
			heard = append(heard, x.At)
		case x.LeaderEpoch >= epoch:
			epoch = x.LeaderEpoch
			heard = append(heard, x.At)
			samples = append(samples, x)
		}
	}
	return heard, samples
}

// newest is when anything was sampled, or shown to the live reader, last.
func (s *slowRow) newest() (last history.Time) {
	for _, name := range []string{"observer-samples", "observer-live"} {
		for _, e := range s.w.hist(name).entries {
			switch e := e.(type) {
			case *history.Sample:
				last = max(last, e.At)
			case *history.DeliveredLive:
				last = max(last, e.At)
			}
		}
	}
	return last
}
