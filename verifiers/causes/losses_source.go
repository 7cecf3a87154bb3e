package causes

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/saved"
)

// MissingAcks is what acknowledgements say of records that are not in the log they were written to: the shared source's in
// the input topic, or those of a source under test.
type MissingAcks struct {
	run       *saved.Run
	keep      rows.Keep
	source    *saved.Source
	Missing   *keyset.Set
	parts     []*logs.Partition
	truncated Truncations
	By        map[string]uint64
	First     []harness.Anomaly
	// unexplained are the acknowledgements of those that are absent for no known reason, by partition.
	unexplained map[int32][]unexplainedAck
}

// ofSource reads the source's acknowledgements again for the lost sequences: which offsets they named, and who is there.
func (l *Losses) ofSource(row *rows.Row) error {
	m := &MissingAcks{run: row.Run, keep: row.Keep, source: row.Source, Missing: row.Lost, parts: row.Out.Parts, truncated: l.truncated, By: l.By}
	if err := m.find(row.Layout.Source); err != nil {
		return err
	}
	for i := range m.First {
		a := &m.First[i]
		a.Kind = harness.AnomalyLost
		a.Text = lostText(row, a, row.RecordKey(a.Record))
	}
	l.Anomalies = m.First
	return nil
}

// find counts the missing records by cause. What a Settled entry confirmed names no offset.
func (m *MissingAcks) find(number uint16) error {
	for _, file := range m.source.Files {
		_, err := history.Scan(filepath.Join(m.run.Dir, file), func(entry history.Entry) error {
			if acked, ok := entry.(*history.Acked); ok {
				for _, r := range acked.Spans {
					m.ackRun(number, acked.At, r)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if err := m.replaced(); err != nil {
		return err
	}
	var known uint64
	for _, n := range m.By {
		known += n
	}
	if left := m.Missing.Len() - min(known, m.Missing.Len()); left > 0 {
		silent := min(left, m.Missing.And(m.source.Sent).Len())
		m.add(BySilence, silent)
		m.add(ByAbsence, left-silent)
		m.silentOnes(number)
	}
	return m.holders()
}

// silentOnes keeps the first of those that were sent with acks=0: no acknowledgement names an offset of theirs.
func (m *MissingAcks) silentOnes(number uint16) {
	partitions := m.run.Record.Plan.Partitions
	m.Missing.And(m.source.Sent).Each(func(k keyset.Key) bool {
		id := history.Identity{Source: number, Sequence: k.Sequence(partitions)}
		if len(m.First) < m.keep.Most || m.keep.AsksFor(id) {
			record := &harness.RecordRef{Source: id.Source, Sequence: id.Sequence, Partition: k.Partition, Offset: -1}
			m.First = append(m.First, harness.Anomaly{Cause: BySilence, Record: record})
		}
		return len(m.First) < m.keep.Most || len(m.keep.Asked) > 0
	})
}

func (m *MissingAcks) add(cause string, n uint64) {
	if n > 0 {
		m.By[cause] += n
	}
}

func (m *MissingAcks) ackRun(number uint16, at history.Time, r history.AckSpan) {
	partitions := m.run.Record.Plan.Partitions
	for i := range r.Count {
		sequence := r.First + i*r.Stride
		key := keyset.BySequence(sequence, partitions)
		if !m.Missing.Has(key) {
			continue
		}
		offset := r.Offset
		if offset >= 0 {
			offset += int64(i)
		}
		a := m.cause(r.Partition, offset, at)
		m.By[a.Cause]++
		if a.Cause == ByAbsence {
			m.explainLater(r.Partition, offset, at)
		}
		if len(m.First) < m.keep.Most || m.keep.AsksFor(history.Identity{Source: number, Sequence: sequence}) {
			a.Record = &harness.RecordRef{Source: number, Sequence: sequence, Partition: r.Partition, Offset: -1}
			a.Ack = &harness.AckRef{Partition: r.Partition, Offset: offset, At: at, Now: "no offset to look at", LeaderEpoch: -1}
			if len(m.parts) > 0 {
				a.Ack.Topic = m.parts[0].At.Topic
			}
			if kept := m.unexplained[r.Partition]; a.Cause == ByAbsence && len(kept) > 0 && kept[len(kept)-1].offset == offset {
				kept[len(kept)-1].first = len(m.First)
			}
			m.First = append(m.First, a)
		}
	}
}

// explainLater keeps an acknowledgement to be looked up in the log. The example that it may become comes next.
func (m *MissingAcks) explainLater(partition int32, offset int64, at history.Time) {
	if offset < 0 || partition < 0 || int(partition) >= len(m.parts) || len(m.unexplained[partition]) == maxUnexplained {
		return
	}
	if m.unexplained == nil {
		m.unexplained = map[int32][]unexplainedAck{}
	}
	m.unexplained[partition] = append(m.unexplained[partition], unexplainedAck{offset, at, -1})
}

// cause looks at the offset that an acknowledgement named.
func (m *MissingAcks) cause(partition int32, offset int64, at history.Time) harness.Anomaly {
	if offset < 0 || partition < 0 || int(partition) >= len(m.parts) {
		return harness.Anomaly{Cause: ByAbsence}
	}
	p := m.parts[partition]
	if d := DeletionOf(m.run, p); d != nil && offset < d.LogStart {
		return harness.Anomaly{Cause: ByDeletion, Deletion: d}
	}
	t := m.truncated.at(partition, offset)
	if t == nil {
		t = byAcknowledgement(p, m.run.Live, offset, at)
	}
	if t != nil {
		return harness.Anomaly{Cause: ByTruncation, Truncation: t}
	}
	return harness.Anomaly{Cause: ByAbsence}
}

// holders looks up what is now at the offsets that the first acknowledgements named, in one pass over each partition.
func (m *MissingAcks) holders() error {
	wanted := map[int32][]*harness.AckRef{}
	for i := range m.First {
		a := m.First[i].Ack
		if a == nil {
			continue
		}
		if p := a.Partition; a.Offset >= 0 && p >= 0 && int(p) < len(m.parts) {
			wanted[p] = append(wanted[p], a)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(wanted)) {
		if err := holders(m.parts[p], wanted[p]); err != nil {
			return err
		}
	}
	return nil
}

// holders says what is at the offsets that acknowledgements named.
func holders(p *logs.Partition, acks []*harness.AckRef) error {
	if p.Idle {
		return nil
	}
	for _, a := range acks {
		a.Now = "nothing is there now"
		if a.Offset >= p.End {
			a.Now = fmt.Sprintf("the log ends at %d", p.End)
		}
	}
	_, tail, err := observation.ReadFile(p.Path, false, func(b *observation.Batch) error {
		for _, a := range acks {
			if a.Offset >= b.First && a.Offset <= b.Last {
				a.Now, a.LeaderEpoch = describeRecordAt(b, a.Offset), b.LeaderEpoch
			}
		}
		return nil
	})
	return errors.Join(err, p.ReadAgain(tail))
}

func describeRecordAt(b *observation.Batch, offset int64) string {
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
