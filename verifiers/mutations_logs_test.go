package verifiers_test

import (
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/observation"
)

var (
	loss      = []harness.Guarantee{harness.AtLeastOnce, harness.ExactlyOnce}
	doubling  = []harness.Guarantee{harness.AtMostOnce, harness.ExactlyOnce}
	ordering  = []harness.Guarantee{harness.InOrder}
	exactness = []harness.Guarantee{harness.ExactlyOnce}
)

// visibleIn takes hold of a log and of a batch of it that readers are given.
func (m *mutant) visibleIn() (*mutatedLog, *observation.Batch) {
	l := m.anyLog()
	all := l.visible()
	if len(all) == 0 {
		return l, nil
	}
	return l, pick(m, all)
}

// drop takes a record out of a batch; it leaves a hole.
func drop(b *observation.Batch, i int) {
	b.Records = slices.Delete(b.Records, i, i+1)
	b.Count--
}

// logMutations take records away, or add some.
var logMutations = []mutation{
	{"a record dropped, leaving a hole", loss, "", func(m *mutant) bool {
		_, b := m.visibleIn()
		if b == nil {
			return false
		}
		drop(b, m.IntN(len(b.Records)))
		return true
	}},
	{"a record dropped, the log closed over it", loss, "", func(m *mutant) bool {
		l, b := m.visibleIn()
		if b == nil {
			return false
		}
		drop(b, m.IntN(len(b.Records)))
		if len(b.Records) == 0 {
			l.remove(b)
		}
		l.renumber()
		return true
	}},
	{"a batch dropped, leaving a hole", loss, "", func(m *mutant) bool {
		l, b := m.visibleIn()
		if b == nil {
			return false
		}
		if b == l.batches[len(l.batches)-1] {
			l.endAt(b.First)
		}
		l.remove(b)
		return true
	}},
	{"a batch dropped, the log closed over it", loss, "", func(m *mutant) bool {
		l, b := m.visibleIn()
		if b == nil {
			return false
		}
		l.remove(b)
		l.renumber()
		return true
	}},
	{"the log's end cut off", loss, "", func(m *mutant) bool {
		l, b := m.visibleIn()
		if b == nil {
			return false
		}
		l.batches = l.batches[:slices.Index(l.batches, b)]
		l.renumber()
		return true
	}},
	{"the whole log gone", loss, "", func(m *mutant) bool {
		l, b := m.visibleIn()
		l.batches = nil
		l.renumber()
		return b != nil
	}},
	{"inputs dropped with all their outputs", loss, "", func(m *mutant) bool {
		if m.row.ProducerOnly {
			return false
		}
		m.input = true
		l := m.log(m.record.Plan.Input, int32(m.IntN(m.record.Plan.Partitions)))
		if len(l.batches) == 0 {
			return false
		}
		from := 0
		if m.IntN(2) == 0 {
			from = m.IntN(len(l.batches))
		}
		gone := l.batches[from:min(len(l.batches), from+1+m.IntN(40))]
		first, last := gone[0].First, gone[len(gone)-1].Last
		m.dropOutputsOf(l.header.Partition, first, last)
		rest := slices.Clone(l.batches[:from])
		l.batches = append(rest, l.batches[from+len(gone):]...)
		if from == len(rest) && len(l.batches) == from {
			l.endAt(first)
		}
		return true
	}},
	{"a record stored again at the log's end", doubling, "", func(m *mutant) bool {
		l, b := m.visibleIn()
		if b == nil {
			return false
		}
		l.appendAgain(b, m.IntN(len(b.Records)), m.IntN(2) == 0)
		return true
	}},
	{"a batch stored twice in a row", doubling, "", func(m *mutant) bool {
		l, b := m.visibleIn()
		if b == nil {
			return false
		}
		again := *b
		again.Records = slices.Clone(b.Records)
		l.batches = slices.Insert(l.batches, slices.Index(l.batches, b)+1, &again)
		l.renumber()
		return true
	}},
	{"records beyond the captured end", nil, "", func(m *mutant) bool {
		l, b := m.visibleIn()
		if b == nil {
			return false
		}
		ends := *l.index
		l.appendAgain(b, 0, true)
		l.index.HW, l.index.LSO, l.index.HWAfter, l.index.LSOAfter = ends.HW, ends.LSO, ends.HWAfter, ends.LSOAfter
		return true
	}},
	{"a damaged batch", nil, "", func(m *mutant) bool {
		_, b := m.visibleIn()
		if b == nil {
			return false
		}
		b.Damaged, b.Records = true, nil
		if m.IntN(2) == 0 {
			b.Count = 0
		}
		return true
	}},
}

func (l *mutatedLog) remove(b *observation.Batch) {
	l.batches = slices.DeleteFunc(l.batches, func(o *observation.Batch) bool { return o == b })
}

// dropOutputsOf takes the outputs of a range of input out of every row.
func (m *mutant) dropOutputsOf(partition int32, first, last int64) {
	for _, row := range m.record.Plan.Pipelines {
		for _, topic := range row.Outputs() {
			for p := range int32(m.record.Plan.Partitions) {
				if row.ProducerOnly || row.Effects {
					continue
				}
				l := m.log(topic, p)
				for _, b := range l.batches {
					b.Records = slices.DeleteFunc(b.Records, func(r observation.Record) bool {
						return r.Status == observation.Output && r.Partition == partition && r.Origin.Offset >= first && r.Origin.Offset <= last
					})
					if !b.Control {
						b.Count = int32(len(b.Records))
					}
				}
				l.batches = slices.DeleteFunc(l.batches, func(b *observation.Batch) bool { return !b.Control && len(b.Records) == 0 })
				l.renumber()
			}
		}
	}
}

// appendAgain appends a copy of a record, and of the marker that committed it, to the log.
func (l *mutatedLog) appendAgain(b *observation.Batch, i int, plain bool) {
	again := *b
	again.Records, again.Count = []observation.Record{b.Records[i]}, 1
	if plain {
		again.ProducerID, again.ProducerEpoch, again.BaseSequence, again.Transactional = -1, -1, -1, false
	} else if b.BaseSequence >= 0 {
		again.BaseSequence = b.Sequence(b.Records[i].Offset)
	}
	again.LeaderEpoch = l.batches[len(l.batches)-1].LeaderEpoch
	l.batches = append(l.batches, &again)
	if again.Transactional {
		for _, c := range l.batches {
			if c.Control && c.ProducerID == b.ProducerID && c.First > b.First {
				marker := *c
				l.batches = append(l.batches, &marker)
				break
			}
		}
	}
	l.renumber()
}

// orderMutations change the order, and what headers say of it.
var orderMutations = []mutation{
	{"two records of a producer swapped", ordering, "", func(m *mutant) bool {
		l := m.anyLog()
		all := l.dataBatches(2)
		if len(all) == 0 {
			return false
		}
		b := pick(m, all)
		i := m.IntN(len(b.Records) - 1)
		swap(&b.Records[i], &b.Records[i+1])
		return slices.Contains(l.visible(), b)
	}},
	{"two batches of a producer swapped", ordering, "", func(m *mutant) bool {
		l := m.anyLog()
		for range 20 {
			if len(l.batches) < 2 {
				return false
			}
			i := m.IntN(len(l.batches) - 1)
			a, b := l.batches[i], l.batches[i+1]
			if !a.Control && !b.Control && a.ProducerID >= 0 && a.ProducerID == b.ProducerID {
				l.batches[i], l.batches[i+1] = b, a
				a.LeaderEpoch, b.LeaderEpoch = b.LeaderEpoch, a.LeaderEpoch
				l.renumber()
				return true
			}
		}
		return false
	}},
	{"a batch of an older leader epoch", nil, "", func(m *mutant) bool {
		l := m.anyLog()
		if len(l.batches) < 2 {
			return false
		}
		i := 1 + m.IntN(len(l.batches)-1)
		l.batches[i].LeaderEpoch = l.batches[i-1].LeaderEpoch - 1
		return true
	}},
	{"a batch of an older producer epoch", nil, "", func(m *mutant) bool {
		l, b := m.visibleIn()
		if b == nil || !l.followed(b) {
			return false
		}
		b.ProducerEpoch--
		return true
	}},
	{"another base sequence", nil, "", func(m *mutant) bool {
		l, b := m.visibleIn()
		if b == nil || !l.followed(b) {
			return false
		}
		b.BaseSequence += int32(1 + m.IntN(100))
		return true
	}},
	{"another producer's batch", nil, "", func(m *mutant) bool {
		l, b := m.visibleIn()
		if b == nil || !l.followed(b) {
			return false
		}
		b.ProducerID += 100_000
		return true
	}},
	{"the newest batch of a producer is another producer's", nil, "",
		func(m *mutant) bool {
			l, b := m.visibleIn()
			if b == nil || b.ProducerID < 0 || l.followed(b) {
				return false
			}
			b.ProducerID += 100_000
			return true
		}},
	{"another timestamp", nil, "a record's timestamp is its producer's to choose; no guarantee speaks of it", func(m *mutant) bool {
		_, b := m.visibleIn()
		if b == nil {
			return false
		}
		b.MaxTimestamp += int64(m.IntN(2_000_000)) - 1_000_000
		return true
	}},
}

// swap lets two records change their places: offsets stay.
func swap(a, b *observation.Record) {
	*a, *b = *b, *a
	a.Offset, b.Offset = b.Offset, a.Offset
}

// followed reports whether an idempotent producer's batch has others of it on both sides, which fit it by their sequences.
func (l *mutatedLog) followed(b *observation.Batch) bool {
	before, after := false, false
	at := slices.Index(l.batches, b)
	for i, o := range l.batches {
		if o.ProducerID == b.ProducerID && !o.Control && o.BaseSequence >= 0 && o.ProducerEpoch == b.ProducerEpoch {
			before, after = before || i < at, after || i > at
		}
	}
	return b.ProducerID >= 0 && before && after
}
