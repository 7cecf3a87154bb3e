package verifiers

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// missingAcks is what acknowledgements say of records that are not in the log they were written to: the shared source's in
// the input topic, or those of a source under test.
type missingAcks struct {
	run       *run
	keep      keeping
	source    *source
	missing   *keyset.Set
	parts     []*partLog
	truncated truncations
	by        map[string]uint64
	first     []harness.Anomaly
}

// ofSource reads the source's acknowledgements again for the lost sequences: which offsets they named, and who is there.
func (l *losses) ofSource(e *row) error {
	m := &missingAcks{run: e.run, keep: e.keep, source: e.source, missing: e.lost, parts: e.out.parts, truncated: l.truncated, by: l.by}
	if err := m.find(e.layout.Source); err != nil {
		return err
	}
	for i := range m.first {
		a := &m.first[i]
		a.Kind = harness.AnomalyLost
		a.Text = lostText(e, a, recordKey(a.Record, e))
	}
	l.anomalies = m.first
	return nil
}

// find counts the missing records by cause. What a Settled entry confirmed names no place.
func (m *missingAcks) find(number uint16) error {
	for _, file := range m.source.files {
		_, err := history.Scan(filepath.Join(m.run.dir, file), func(entry history.Entry) error {
			if acked, ok := entry.(*history.Acked); ok {
				for _, r := range acked.Runs {
					m.ackRun(number, acked.At, r)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	var known uint64
	for _, n := range m.by {
		known += n
	}
	if left := m.missing.Len() - min(known, m.missing.Len()); left > 0 {
		silent := min(left, m.missing.And(m.source.sent).Len())
		m.add(bySilence, silent)
		m.add(byAbsence, left-silent)
		m.silentOnes(number)
	}
	return m.holders()
}

// silentOnes keeps the first of those that were sent with acks=0: no acknowledgement names a place of theirs.
func (m *missingAcks) silentOnes(number uint16) {
	partitions := m.run.record.Plan.Partitions
	m.missing.And(m.source.sent).Each(func(k keyset.Key) bool {
		id := history.Identity{Source: number, Sequence: k.Sequence(partitions)}
		if len(m.first) < m.keep.most || m.keep.asksFor(id) {
			record := &harness.RecordRef{Source: id.Source, Sequence: id.Sequence, Partition: k.Class, Offset: -1}
			m.first = append(m.first, harness.Anomaly{Cause: bySilence, Record: record})
		}
		return len(m.first) < m.keep.most || len(m.keep.asked) > 0
	})
}

func (m *missingAcks) add(cause string, n uint64) {
	if n > 0 {
		m.by[cause] += n
	}
}

func (m *missingAcks) ackRun(number uint16, at history.Time, r history.AckRun) {
	partitions := m.run.record.Plan.Partitions
	for i := range r.Count {
		sequence := r.First + i*r.Stride
		key := keyset.BySequence(sequence, partitions)
		if !m.missing.Has(key) {
			continue
		}
		offset := r.Offset
		if offset >= 0 {
			offset += int64(i)
		}
		a := m.cause(r.Partition, offset, at)
		m.by[a.Cause]++
		if len(m.first) < m.keep.most || m.keep.asksFor(history.Identity{Source: number, Sequence: sequence}) {
			a.Record = &harness.RecordRef{Source: number, Sequence: sequence, Partition: r.Partition, Offset: -1}
			a.Ack = &harness.AckRef{Partition: r.Partition, Offset: offset, At: at, Holder: "no offset to look at", LeaderEpoch: -1}
			if len(m.parts) > 0 {
				a.Ack.Topic = m.parts[0].at.topic
			}
			m.first = append(m.first, a)
		}
	}
}

// cause looks at the place that an acknowledgement named.
func (m *missingAcks) cause(partition int32, offset int64, at history.Time) harness.Anomaly {
	if offset < 0 || partition < 0 || int(partition) >= len(m.parts) {
		return harness.Anomaly{Cause: byAbsence}
	}
	p := m.parts[partition]
	if d := deletionOf(m.run, p); d != nil && offset < d.LogStart {
		return harness.Anomaly{Cause: byDeletion, Deletion: d}
	}
	t := m.truncated.at(partition, offset)
	if t == nil {
		t = byAcknowledgement(p, m.run.live, offset, at)
	}
	if t != nil {
		return harness.Anomaly{Cause: byTruncation, Truncation: t}
	}
	return harness.Anomaly{Cause: byAbsence}
}

// holders looks up what is now at the places that the first acknowledgements named, in one pass over each partition.
func (m *missingAcks) holders() error {
	wanted := map[int32][]*harness.AckRef{}
	for i := range m.first {
		a := m.first[i].Ack
		if a == nil {
			continue
		}
		if p := a.Partition; a.Offset >= 0 && p >= 0 && int(p) < len(m.parts) {
			wanted[p] = append(wanted[p], a)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(wanted)) {
		if err := holdersIn(m.parts[p], wanted[p]); err != nil {
			return err
		}
	}
	return nil
}

// holdersIn says what is at the offsets that acknowledgements named.
func holdersIn(p *partLog, acks []*harness.AckRef) error {
	if p.idle {
		return nil
	}
	for _, a := range acks {
		a.Holder = "nothing is there now"
		if a.Offset >= p.end {
			a.Holder = fmt.Sprintf("the log ends at %d", p.end)
		}
	}
	_, _, err := observation.ReadFile(p.path, false, func(b *observation.Batch) error {
		for _, a := range acks {
			if a.Offset >= b.First && a.Offset <= b.Last {
				a.Holder, a.LeaderEpoch = describeHolder(b, a.Offset), b.LeaderEpoch
			}
		}
		return nil
	})
	return err
}

func describeHolder(b *observation.Batch, offset int64) string {
	switch {
	case b.Damaged:
		return "now in a damaged batch"
	case b.Control:
		return "now held by a transaction marker"
	}
	for i := range b.Records {
		if rec := &b.Records[i]; rec.Offset == offset {
			if rec.Status > observation.Output {
				return "now held by a corrupt or foreign record"
			}
			return fmt.Sprintf("now held by sequence %d of leader epoch %d", rec.Sequence, b.LeaderEpoch)
		}
	}
	return "nothing is there now"
}
