package jepsen_test

import (
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
)

var transactionPlants = []plant{
	{name: "an abort that was confirmed and did not happen", row: transactional, also: []string{"poll-skip"}, do: func(s *saved) tally {
		x := s.wide()
		s.ended(x.ordinal, func(e *history.TxnEnded) { e.Commit = false })
		return tally{"G1a": {0, x.outputs(), 0}}
	}},
	{name: "a commit that was confirmed and did not happen", row: transactional, also: withGone, do: func(s *saved) tally {
		x := s.wide()
		n := s.aborts(x, 0, true) + s.aborts(x, 1, true)
		return tally{"lost-write": {0, n, 0}, "unseen": {0, n, n}}
	}},
	{name: "a transaction that took place in one of two partitions", row: transactional, also: withGone, do: func(s *saved) tally {
		n := s.aborts(s.wide(), 0, true)
		return tally{"lost-write": {0, n, 0}, "unseen": {0, n, n}, "torn": {1}}
	}},
	{name: "an aborted transaction that the live reader was given", row: transactional, also: withGone, unjudged: true, do: func(s *saved) tally {
		x := s.wide()
		n := s.aborts(x, 0, false) + s.aborts(x, 1, false)
		s.ended(x.ordinal, func(e *history.TxnEnded) { e.Commit = false })
		return tally{"G1a": {0, n, 0}, "unseen": {0, 0, n}}
	}},
	{name: "a committed transaction that only the live reader was given", row: transactional, also: withGone, unjudged: true, do: func(s *saved) tally {
		x := s.wide()
		n := s.aborts(x, 0, false) + s.aborts(x, 1, false)
		return tally{"unseen": {0, 0, n}}
	}},
	{name: "two transactions in one order here and in the other there", row: transactional, also: withOrder, do: func(s *saved) tally {
		s.swapWithNext(s.wide())
		return tally{"G0": {1}, "nonmonotonic-send": {0, 1, 0}}
	}},
	{name: "a transaction whose end is unknown", row: transactional, do: func(s *saved) tally {
		s.ended(s.wide().ordinal, func(e *history.TxnEnded) { e.Outcome = history.OutcomeUnknown })
		return tally{}
	}},
	{name: "polls within a transaction that skip", row: transactional, do: func(s *saved) tally {
		s.repoll(func(p history.Polled) []history.Entry {
			first, second := p, p
			first.To, first.Count = p.From+10, 10
			second.From, second.Count, second.Processing = p.From+15, p.Count-15, p.Processing+15
			return []history.Entry{&first, &second}
		})
		return tally{"int-poll-skip": {1}}
	}},
	{name: "polls within a transaction that go back", row: transactional, also: []string{"poll-skip"}, do: func(s *saved) tally {
		s.repoll(func(p history.Polled) []history.Entry {
			first, second := p, p
			first.To, first.Count = p.From+10, 10
			second.From, second.Count, second.Processing = p.From+10, p.Count-10, p.Processing+10
			return []history.Entry{&second, &first}
		})
		return tally{"int-nonmonotonic-poll": {1}}
	}},
}

const transactor = "transactional-0"

// wideTransaction is one of the worker's that wrote to two partitions, as the next one did.
type wideTransaction struct {
	ordinal uint64
	in      []history.PartitionCount
}

func (x wideTransaction) outputs() int { return int(x.in[0].Count + x.in[1].Count) }

// wide finds the first such transaction that was committed, and whose successor was.
func (s *saved) wide() (found wideTransaction) {
	s.history(transactor, func(all []history.Entry) []history.Entry {
		var before wideTransaction
		committed := map[uint64]bool{}
		for _, e := range all {
			if x, is := e.(*history.TxnEnded); is {
				committed[x.Txn] = x.Commit && x.Outcome == history.OutcomeConfirmed
			}
		}
		for _, e := range all {
			x, is := e.(*history.Outputs)
			if !is || len(x.Counts) != 2 || !committed[x.Txn] {
				continue
			}
			same := len(before.in) == 2 && before.in[0].Partition == x.Counts[0].Partition && before.in[1].Partition == x.Counts[1].Partition
			if same && before.ordinal == x.Txn-1 && found.ordinal == 0 {
				found = before
			}
			before = wideTransaction{x.Txn, x.Counts}
		}
		return all
	})
	require.NotZero(s.t, found.ordinal)
	return found
}

// ended changes the end of one of the worker's transactions.
func (s *saved) ended(ordinal uint64, change func(*history.TxnEnded)) {
	s.history(transactor, func(all []history.Entry) []history.Entry {
		for _, e := range all {
			if x, is := e.(*history.TxnEnded); is && x.Txn == ordinal {
				change(x)
			}
		}
		return all
	})
}

// repoll puts other polls in the place of a long one that is a transaction's only one.
func (s *saved) repoll(instead func(history.Polled) []history.Entry) {
	s.history(transactor, func(all []history.Entry) []history.Entry {
		for i, e := range all[2:] {
			before, was := all[i].(*history.TxnEnded)
			p, is := all[i+1].(*history.Polled)
			if _, begins := e.(*history.TxnBegin); begins && is && was && before.Commit && p.Count >= 50 {
				return slices.Replace(all, i+1, i+2, instead(*p)...)
			}
		}
		require.Fail(s.t, "no such poll")
		return nil
	})
}

// aborts makes the log abort a transaction, in the first or second of its partitions, and returns how many outputs that
// takes. Unseen, the live reader was not given them either.
func (s *saved) aborts(x wideTransaction, which int, unseen bool) int {
	partition := x.in[which].Partition
	gone := map[int64]bool{}
	s.log(transactional, partition, func(all []*observation.Batch) []*observation.Batch {
		span := spanOf(s, all, x.ordinal)
		for _, b := range all[span.from:span.to] {
			for _, r := range b.Records {
				gone[r.Offset] = true
			}
		}
		all[span.to-1].Marker = observation.MarkerAbort
		return all
	})
	topic := s.layout(transactional).Output
	s.history("observer-live", func(all []history.Entry) []history.Entry {
		for _, e := range all {
			if p, is := e.(*history.DeliveredLive); is && unseen && p.Topic == topic && p.Partition == partition {
				for o := p.From; o < p.To; o++ {
					if gone[o] {
						p.Count--
					}
				}
			}
		}
		return slices.DeleteFunc(all, func(e history.Entry) bool { p, is := e.(*history.DeliveredLive); return is && p.Count == 0 })
	})
	return len(gone)
}

// span are the batches of a transaction, its marker included, in a log that one producer writes at a time.
type span struct{ from, to int }

func spanOf(s *saved, all []*observation.Batch, ordinal uint64) span {
	from := slices.IndexFunc(all, func(b *observation.Batch) bool {
		return len(b.Records) > 0 && b.Records[0].Worker == 0 && b.Records[0].Txn == ordinal
	})
	require.GreaterOrEqual(s.t, from, 0)
	to := from
	for !all[to].Control {
		to++
	}
	return span{from, to + 1}
}

// swapWithNext changes the order of a transaction and the next one, in the first of their partitions.
func (s *saved) swapWithNext(x wideTransaction) {
	s.log(transactional, x.in[0].Partition, func(all []*observation.Batch) []*observation.Batch {
		one, next := spanOf(s, all, x.ordinal), spanOf(s, all, x.ordinal+1)
		require.Equal(s.t, one.to, next.from)
		return renumber(slices.Concat(all[:one.from], all[next.from:next.to], all[one.from:one.to], all[next.to:]))
	})
}
