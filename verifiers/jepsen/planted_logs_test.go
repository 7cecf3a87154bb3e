package jepsen_test

import (
	"slices"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// middle is a batch of several records somewhere inside a log.
func middle(all []*observation.Batch) int {
	i := len(all) / 2
	for len(all[i].Records) < 2 {
		i++
	}
	return i
}

// What comes with a second copy, with what is gone, and with another order.
var (
	withCopies = []string{"poll-skip", "nonmonotonic-poll", "int-poll-skip", "int-nonmonotonic-poll", "int-send-skip", "int-nonmonotonic-send", "nonmonotonic-send", "G0"}
	withGone   = []string{"poll-skip", "int-poll-skip"}
	withOrder  = []string{"int-send-skip", "poll-skip", "int-nonmonotonic-send"}
)

var logPlants = []plant{
	{name: "nothing", row: plain, do: func(*saved) tally { return tally{} }},
	{name: "a batch that the broker stored twice", row: plain, also: withCopies, do: func(s *saved) tally {
		n := 0
		s.log(plain, 0, func(all []*observation.Batch) []*observation.Batch {
			last := all[len(all)-1]
			n = len(last.Records)
			return renumber(append(all, again(last)))
		})
		return tally{"duplicate": {0, n, n}}
	}},
	{name: "a batch that an incarnation without a history made again", row: plain, also: withCopies, do: func(s *saved) tally {
		n := 0
		s.log(plain, 0, func(all []*observation.Batch) []*observation.Batch {
			b := again(all[len(all)-1])
			n = len(b.Records)
			b.ProducerID = 999
			for i := range b.Records {
				b.Records[i].Incarnation, b.Records[i].Processing = 7, uint64(i+1)
			}
			return renumber(append(all, b))
		})
		return tally{"duplicate": {0, 0, n}}
	}},
	{name: "acknowledged records that are gone from the middle", row: producer, also: withGone, do: func(s *saved) tally {
		n := 0
		s.log(producer, 1, func(all []*observation.Batch) []*observation.Batch {
			i := middle(all)
			n = len(all[i].Records)
			all[i].Records = nil
			return all
		})
		return tally{"lost-write": {0, n, 0}, "unseen": {0, n, 0}}
	}},
	{name: "acknowledged records that are gone from the end", row: producer, do: func(s *saved) tally {
		n := 0
		s.log(producer, 1, func(all []*observation.Batch) []*observation.Batch {
			last := len(all) - 4
			for _, b := range all[last:] {
				n += len(b.Records)
			}
			return all[:last]
		})
		return tally{"unseen": {0, n, 0}}
	}},
	{name: "another record where one was acknowledged", row: producer, also: withCopies, do: func(s *saved) tally {
		s.log(producer, 1, func(all []*observation.Batch) []*observation.Batch {
			i := middle(all)
			all[i].Records[1].Identity = all[i].Records[0].Identity // its own neighbour, a second time
			return all
		})
		return tally{"inconsistent-offsets": {0, 1, 0}, "lost-write": {0, 1, 0}, "unseen": {0, 1, 0}, "duplicate": {0, 1, 0}}
	}},
	{name: "two records in the other order", row: plain, also: []string{"int-send-skip"}, do: func(s *saved) tally {
		s.log(plain, 1, func(all []*observation.Batch) []*observation.Batch {
			r := all[middle(all)].Records
			a, b := r[0], r[1]
			a.Offset, b.Offset = b.Offset, a.Offset
			r[0], r[1] = b, a
			return all
		})
		return tally{"int-nonmonotonic-send": {0, 1, 1}}
	}},
	{name: "a failed send that is there", row: producer, do: func(s *saved) tally {
		n := 0
		s.history("source-acks1", func(all []history.Entry) []history.Entry {
			i := slices.IndexFunc(all, func(e history.Entry) bool { _, is := e.(*history.Acked); return is })
			a := all[i].(*history.Acked)
			n = int(a.Spans[0].Count)
			failed := &history.Resolved{Stamp: history.At(a.At), Outcome: history.OutcomeFailed, Reason: "planted", Spans: []history.SequenceSpan{a.Spans[0].SequenceSpan}}
			a.Spans = a.Spans[1:]
			return slices.Insert(all, i, history.Entry(failed))
		})
		return tally{"G1a": {0, n, 0}}
	}},
}
