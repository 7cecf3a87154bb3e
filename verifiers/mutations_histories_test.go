package verifiers_test

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// entriesOf lists a history's entries of one kind that fit.
func entriesOf[E history.Entry](h *mutatedHistory, fits func(E) bool) (all []E) {
	if h == nil {
		return nil
	}
	for _, e := range h.entries {
		if x, is := e.(E); is && fits(x) {
			all = append(all, x)
		}
	}
	return all
}

func (h *mutatedHistory) drop(gone history.Entry) {
	h.entries = slices.DeleteFunc(h.entries, func(e history.Entry) bool { return e == gone })
}

// leave takes a history away together with its entry in the run's record.
func (m *mutant) leave(h *mutatedHistory) bool {
	if h == nil {
		return false
	}
	file := h.record.File
	m.hists = nil
	m.gone = append(m.gone, filepath.Join(m.run.dir, file))
	m.record.Histories = slices.DeleteFunc(m.record.Histories, func(r harness.HistoryRecord) bool { return r.File == file })
	return true
}

// cut ends a history early, and says in the run's record that it was always so short.
func cut(m *mutant, h *mutatedHistory) bool {
	if h == nil || len(h.entries) == 0 {
		return false
	}
	h.entries, h.open = h.entries[:m.IntN(len(h.entries))], true
	return !h.record.Killed
}

// historyMutations change what processes say that they did and learnt.
var historyMutations = []mutation{
	{"a worker's history removed with its entry", nil, "", func(m *mutant) bool { return m.leave(m.worker()) }},
	{"a source's history removed with its entry", nil, "", func(m *mutant) bool { return m.leave(m.source()) }},
	{"the live reader's history removed with its entry", nil, "", func(m *mutant) bool { return m.leave(m.observer("observer-live")) }},
	{"the samples removed with their entry", nil, "", func(m *mutant) bool { return m.leave(m.observer("observer-samples")) }},
	{"a worker's history cut", nil, "", func(m *mutant) bool { return cut(m, m.worker()) }},
	{"a source's history cut", nil, "", func(m *mutant) bool { return cut(m, m.source()) }},
	{"the live reader's history cut", nil, "", func(m *mutant) bool { return cut(m, m.observer("observer-live")) }},
	{"an observer's file without an entry", nil, "", func(m *mutant) bool {
		h := m.observer(pick(m, []string{"observer-live", "observer-samples"}))
		h.entries = nil
		return true
	}},
	{"a confirmed commit that was an abort", exactness, "", func(m *mutant) bool {
		all := entriesOf(m.worker(), func(e *history.TxnEnded) bool { return e.Commit && e.Outcome == history.OutcomeConfirmed })
		if len(all) == 0 {
			return false
		}
		e := pick(m, all)
		e.Commit = false
		for _, o := range entriesOf(m.hists[0], func(o *history.TxnEnding) bool { return o.Txn == e.Txn }) {
			o.Commit = false
		}
		return true
	}},
	{"a commit of a transaction that was refused", exactness, "", func(m *mutant) bool {
		all := entriesOf(m.worker(), func(e *history.TxnEnded) bool { return e.Commit && e.Outcome == history.OutcomeConfirmed })
		if len(all) == 0 {
			return false
		}
		pick(m, all).Outcome = history.OutcomeFailed
		return true
	}},
	{"confirmed outputs more than there are", exactness, "", func(m *mutant) bool {
		all := entriesOf(m.worker(), func(e *history.Outputs) bool {
			return e.Txn > 0 && e.Outcome == history.OutcomeConfirmed && len(e.Counts) > 0
		})
		if len(all) == 0 {
			return false
		}
		e := pick(m, all)
		e.Counts[m.IntN(len(e.Counts))].Count += uint64(1 + m.IntN(5))
		return true
	}},
	{"acknowledged records that are not in the log", loss, "", func(m *mutant) bool {
		m.input = !m.row.ProducerOnly
		all := entriesOf(m.source(), func(e *history.Acked) bool { return len(e.Spans) > 0 })
		if len(all) == 0 {
			return false
		}
		e := pick(m, all)
		s := e.Spans[m.IntN(len(e.Spans))]
		s.First += 3_000_000 - 3_000_000%max(1, s.Stride)
		s.Offset += 1_000_000
		e.Spans = append(e.Spans, s)
		return true
	}},
	{"a commit beyond the records", nil, "", func(m *mutant) bool {
		all := entriesOf(m.worker(), func(e *history.Committed) bool {
			return e.Txn == 0 && e.Outcome == history.OutcomeConfirmed && len(e.Offsets) > 0
		})
		if len(all) == 0 {
			return false
		}
		pick(m, all).Offsets[0].Offset += 1_000_000
		return true
	}},
	{"an answer that never came", nil, "an outcome that was not learnt is unknown, and excuses absence; nothing is absent", func(m *mutant) bool {
		h := m.worker()
		if h == nil || len(h.entries) == 0 {
			return false
		}
		switch e := pick(m, h.entries).(type) {
		case *history.Committed, *history.TxnEnded:
			h.drop(e)
			return true
		}
		return false
	}},
}

// readMutations change what readers were given.
var readMutations = []mutation{
	{"a delivery dropped", loss, "", onDelivery(func(_ *mutant, h *mutatedHistory, s *history.DeliveredLive) { h.drop(s) })},
	{"a delivery with more records than its range", doubling, "", onDelivery(func(m *mutant, _ *mutatedHistory, s *history.DeliveredLive) {
		s.Count += uint64(s.To-s.From) + uint64(1+m.IntN(5))
	})},
	{"a delivery with fewer records than are committed", loss, "", onDelivery(func(_ *mutant, _ *mutatedHistory, s *history.DeliveredLive) { s.Count-- })},
	{"a delivery again", doubling, "", onDelivery(func(_ *mutant, h *mutatedHistory, s *history.DeliveredLive) {
		again := *s
		again.New = 0
		h.entries = slices.Insert(h.entries, slices.Index(h.entries, history.Entry(s))+1, history.Entry(&again))
	})},
	{"a transaction delivered before its commit", doubling, "", func(m *mutant) bool {
		if !m.row.Transactional || m.row.ProducerOnly {
			return false
		}
		h := m.observer("observer-live")
		all := m.deliveries(h)
		if len(all) == 0 {
			return false
		}
		for _, s := range all {
			s.At = s.At.Add(-5 * time.Second)
		}
		return true
	}},
	{"a worker's poll dropped", loss, "", func(m *mutant) bool {
		h := m.worker()
		all := between(h)
		if len(all) == 0 {
			return false
		}
		e := pick(m, all)
		h.drop(e)
		return m.neverCut(e.Partition)
	}},
	{"a worker's poll with more records than its range", doubling, "", func(m *mutant) bool {
		all := entriesOf(m.worker(), func(e *history.Polled) bool { return e.Count > 0 })
		if len(all) == 0 {
			return false
		}
		e := pick(m, all)
		e.Count += uint64(e.To-e.From) + 1
		return m.neverCut(e.Partition)
	}},
}

// deliveries are the live reader's of the row's output.
func (m *mutant) deliveries(h *mutatedHistory) []*history.DeliveredLive {
	return entriesOf(h, func(s *history.DeliveredLive) bool { return s.Count > 0 && slices.Contains(m.row.Outputs(), s.Topic) })
}

func onDelivery(do func(m *mutant, h *mutatedHistory, s *history.DeliveredLive)) func(*mutant) bool {
	return func(m *mutant) bool {
		h := m.observer("observer-live")
		all := m.deliveries(h)
		if len(all) == 0 {
			return false
		}
		do(m, h, pick(m, all))
		return true
	}
}

// between lists a worker's polls that have the polls before and after them in their partition on both sides, with no
// assignment between: no other worker, and no later incarnation, can have been given their records instead.
func between(h *mutatedHistory) (all []*history.Polled) {
	if h == nil {
		return nil
	}
	last := map[int32][]*history.Polled{}
	for _, e := range h.entries {
		switch e := e.(type) {
		case *history.Assigned, *history.Revoked:
			clear(last)
		case *history.Polled:
			seen := last[e.Partition]
			if n := len(seen); n >= 2 && seen[n-2].To == seen[n-1].From && seen[n-1].To == e.From {
				all = append(all, seen[n-1])
			}
			last[e.Partition] = append(seen, e)
		}
	}
	return all
}

// neverCut reports whether one leader wrote all of an input partition: a log that was cut off excuses what readers were given.
func (m *mutant) neverCut(partition int32) bool {
	l := m.log(m.record.Plan.Input, partition)
	return !slices.ContainsFunc(l.batches, func(b *observation.Batch) bool { return b.LeaderEpoch != l.batches[0].LeaderEpoch })
}
