package verifiers_test

import (
	"time"

	"github.com/chaeos/chaeos/verifiers/observation"
)

// onRecord is a mutation of one record of the row's output, or of its input too.
func onRecord(input bool, do func(m *mutant, r *observation.Record) bool) func(m *mutant) bool {
	return func(m *mutant) bool {
		l := m.anyLog()
		all := l.visible()
		if len(all) == 0 || m.input && !input {
			return false
		}
		b := pick(m, all)
		return do(m, &b.Records[m.IntN(len(b.Records))])
	}
}

// onOutput is a mutation of one output that a worker made.
func onOutput(do func(m *mutant, r *observation.Record)) func(m *mutant) bool {
	return onRecord(false, func(m *mutant, r *observation.Record) bool {
		if r.Status == observation.Output {
			do(m, r)
		}
		return r.Status == observation.Output
	})
}

// recordMutations change what one record says.
var recordMutations = []mutation{
	{"a record that is corrupt", nil, "", onRecord(true, func(_ *mutant, r *observation.Record) bool {
		r.Status = observation.Corrupt
		return true
	})},
	{"a record that is another run's", nil, "", onRecord(true, func(_ *mutant, r *observation.Record) bool {
		r.Status = observation.Foreign
		return true
	})},
	{"another sequence", nil, "", onRecord(true, func(m *mutant, r *observation.Record) bool {
		r.Sequence += uint64(1 + m.IntN(1000))
		return true
	})},
	{"another source", nil, "", onRecord(true, func(m *mutant, r *observation.Record) bool {
		r.Source += uint16(1 + m.IntN(1000))
		return true
	})},
	{"another origin offset", nil, "", onOutput(func(m *mutant, r *observation.Record) { r.Origin.Offset += int64(1 + m.IntN(1000)) })},
	// To come: of an input that was truncated, any offset is taken for one that was cut off, so at-most-once is held.
	{"an origin beyond the input", loss, "", onOutput(func(_ *mutant, r *observation.Record) { r.Origin.Offset = 1 << 40 })},
	{"another origin partition", nil, "", onOutput(func(m *mutant, r *observation.Record) { r.Partition += int32(1 + m.IntN(5)) })},
	{"another worker", nil, "", onOutput(func(m *mutant, r *observation.Record) { r.Worker += uint16(2 + m.IntN(5)) })},
	{"an incarnation that never was", nil, "", onOutput(func(m *mutant, r *observation.Record) { r.Incarnation += uint32(3 + m.IntN(5)) })},
	{"another transaction", nil, "", onRecord(false, func(m *mutant, r *observation.Record) bool {
		r.Txn += uint64(1 + m.IntN(100))
		return r.Status == observation.Output && m.row.Transactional
	})},
	{"another processing ordinal", nil, "an ordinal names which processing made an output; it explains copies, and no guarantee speaks of it",
		onOutput(func(m *mutant, r *observation.Record) { r.Processing += uint64(1 + m.IntN(1000)) })},
	{"another scheduled time", nil, "times give latencies, and no guarantee speaks of them", onRecord(true, func(m *mutant, r *observation.Record) bool {
		r.Scheduled = r.Scheduled.Add(time.Duration(m.IntN(int(10*time.Second))) - 5*time.Second)
		return true
	})},
}
