package jepsen_test

import (
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness/history"
)

var pollPlants = []plant{
	{name: "a live poll that skips what is committed", row: producer, do: func(s *saved) tally {
		s.seen(producer, func(all []history.Entry, i int) []history.Entry { return slices.Delete(all, i, i+1) })
		return tally{"poll-skip": {0, 1, 0}}
	}},
	{name: "a live poll that goes back", row: producer, do: func(s *saved) tally {
		s.seen(producer, func(all []history.Entry, i int) []history.Entry {
			twice := *all[i].(*history.DeliveredLive)
			twice.At++
			return slices.Insert(all, i+1, history.Entry(&twice))
		})
		return tally{"nonmonotonic-poll": {0, 1, 0}}
	}},
	{name: "a live poll of another count than the log", row: producer, do: func(s *saved) tally {
		s.seen(producer, func(all []history.Entry, i int) []history.Entry {
			all[i].(*history.DeliveredLive).Count += 5
			return all
		})
		return tally{"count": {0, 1, 0}}
	}},
	{name: "a worker's poll that skips", row: plain, do: func(s *saved) tally {
		s.worked(func(all []history.Entry, i int) []history.Entry { return slices.Delete(all, i, i+1) })
		return tally{"poll-skip": {1, 0, 0}}
	}},
	{name: "a worker's poll that goes back", row: plain, do: func(s *saved) tally {
		s.worked(func(all []history.Entry, i int) []history.Entry {
			twice := *all[i].(*history.Polled)
			return slices.Insert(all, i+1, history.Entry(&twice))
		})
		return tally{"nonmonotonic-poll": {1, 0, 0}}
	}},
}

// seen changes the observer's entries at one of its polls of a row, in the middle of partition 1.
func (s *saved) seen(row string, change func([]history.Entry, int) []history.Entry) {
	topic := s.layout(row).Output
	s.history("observer-live", func(all []history.Entry) []history.Entry {
		return change(all, s.nth(all, 50, func(e history.Entry) bool {
			x, is := e.(*history.DeliveredLive)
			return is && x.Topic == topic && x.Partition == 1
		}))
	})
}

// worked changes the entries of the idempotent worker at one of its polls.
func (s *saved) worked(change func([]history.Entry, int) []history.Entry) {
	s.history("idempotent-0", func(all []history.Entry) []history.Entry {
		return change(all, s.nth(all, 20, func(e history.Entry) bool { _, is := e.(*history.Polled); return is }))
	})
}

// nth is the place of the n-th entry that is wanted.
func (s *saved) nth(all []history.Entry, n int, wanted func(history.Entry) bool) int {
	for i, e := range all {
		if wanted(e) {
			n--
		}
		if n == 0 {
			return i
		}
	}
	require.Fail(s.t, "no such entry")
	return -1
}
