package verifiers

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// losses is why inputs are lost.
type losses struct {
	by       map[string]uint64
	examples []string
	notes    []string
}

// The causes of a loss.
const (
	byAbsence    = "acked but absent"
	bySilence    = "sent but absent" // with acks=0, where nothing is ever acknowledged
	bySkip       = "skipped"
	byTruncation = "truncated"
	byDeletion   = "deleted"
	byAbort      = "aborted"
)

func (l *losses) add(cause string, n uint64) {
	if n > 0 {
		l.by[cause] += n
	}
}

// findLosses says why each lost input is lost, as far as the evidence goes.
func findLosses(e *evidence) (*losses, error) {
	l := &losses{by: map[string]uint64{}}
	rewritten := e.rewritten(l)
	if e.lost.Len() == 0 {
		return l, nil
	}
	if e.layout.ProducerOnly {
		return l, l.ofSource(e, rewritten)
	}
	return l, l.ofPipeline(e, rewritten)
}

// span is a range of offsets.
type span struct{ from, to int64 }

// rewritten finds, by output partition, the offsets that were below the high watermark once and are gone or replaced.
func (e *evidence) rewritten(l *losses) map[int32]span {
	spans := map[int32]span{}
	for _, log := range e.out.parts {
		if !log.whole {
			continue
		}
		from, to := log.rewritten(e.run.live.highest[log.at], e.run.live.seenTo[log.at])
		if from >= to {
			continue
		}
		spans[log.at.partition] = span{from, to}
		l.notes = append(l.notes, fmt.Sprintf("%s/%d: offsets %d to %d were below the high watermark, and are now gone or hold later records: the log was truncated",
			log.at.topic, log.at.partition, from, to-1))
	}
	return spans
}

// ofPipeline: an input whose output was aborted and whose position was committed all the same; outputs that were
// acknowledged and are no longer there; the rest was committed past without an output.
func (l *losses) ofPipeline(e *evidence, rewritten map[int32]span) error {
	dropped := e.lost.And(e.out.dropped)
	l.add(byAbort, dropped.Len())
	left := e.lost.Len() - dropped.Len()
	for _, w := range e.workers {
		partitions := make([]int32, 0, len(w.confirmed))
		for p := range w.confirmed {
			partitions = append(partitions, p)
		}
		slices.Sort(partitions)
		for _, p := range partitions {
			confirmed, there := w.confirmed[p], e.out.lives[w.life][p].present()
			if confirmed <= there {
				continue
			}
			cause := byAbsence
			if _, ok := rewritten[p]; ok {
				cause = byTruncation
			}
			gone := min(left, confirmed-there)
			l.add(cause, gone)
			left -= gone
		}
	}
	l.add(bySkip, left)
	examples := e.lost.First(maxExamples)
	passed := make([]*harness.CommitRef, len(examples))
	var search commitSearch
	for i, k := range examples {
		search.passing(k.Class, int64(k.Index), func(c harness.CommitRef) { passed[i] = &c })
	}
	err := search.run(e)
	for i, k := range examples {
		l.examples = append(l.examples, e.name(k)+e.passedBy(k, passed[i]))
	}
	return err
}

// passedBy says which confirmed commit first went past an input.
func (e *evidence) passedBy(k keyset.Key, first *harness.CommitRef) string {
	if first == nil {
		return fmt.Sprintf(", passed by the committed position %d", e.position[k.Class])
	}
	return fmt.Sprintf(", passed by %s committing %d at %s", nameLife(*first.By), first.Offset, e.since(first.At))
}

// ack is where an acknowledgement said a lost record was stored.
type ack struct {
	sequence  uint64
	partition int32
	offset    int64
	at        history.Time
}

// ofSource reads the source's acknowledgements again for the lost sequences: which offsets they named, and who is there.
func (l *losses) ofSource(e *evidence, rewritten map[int32]span) error {
	var first []ack
	for _, file := range e.source.files {
		_, err := history.Scan(filepath.Join(e.run.dir, file), func(entry history.Entry) error {
			if acked, ok := entry.(*history.Acked); ok {
				for _, r := range acked.Runs {
					first = l.ofRun(e, rewritten, acked.At, r, first)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if known := l.by[byAbsence] + l.by[byTruncation] + l.by[byDeletion]; known < e.lost.Len() {
		unanswered := min(e.lost.And(e.source.sent).Len(), e.lost.Len()-known)
		l.add(bySilence, unanswered)
		l.add(byAbsence, e.lost.Len()-known-unanswered) // confirmed by a Settled entry, which names no place
	}
	for _, a := range first {
		holder, err := e.holder(a)
		if err != nil {
			return err
		}
		l.examples = append(l.examples, fmt.Sprintf("source %d sequence %d acked at %s/%d offset %d (%s)", e.layout.Source, a.sequence, e.layout.Output, a.partition, a.offset, holder))
	}
	return nil
}

func (l *losses) ofRun(e *evidence, rewritten map[int32]span, at history.Time, r history.AckRun, first []ack) []ack {
	for i := range r.Count {
		sequence := r.First + i*r.Stride
		if !e.lost.Has(keyset.BySequence(sequence, e.run.record.Plan.Partitions)) {
			continue
		}
		a := ack{sequence, r.Partition, r.Offset, at}
		if r.Offset >= 0 {
			a.offset += int64(i)
		}
		l.add(e.causeOfAck(a, rewritten), 1)
		if len(first) < maxExamples {
			first = append(first, a)
		}
	}
	return first
}

func (e *evidence) causeOfAck(a ack, rewritten map[int32]span) string {
	if a.offset < 0 {
		return byAbsence
	}
	if s, ok := rewritten[a.partition]; ok && a.offset >= s.from && a.offset < s.to {
		return byTruncation
	}
	if p := int(a.partition); p >= 0 && p < len(e.out.parts) && a.offset < e.out.parts[p].info.LogStart {
		return byDeletion
	}
	return byAbsence
}

// holder says what is at the offset that an acknowledgement named.
func (e *evidence) holder(a ack) (string, error) {
	p := int(a.partition)
	if a.offset < 0 || p < 0 || p >= len(e.out.parts) || e.out.parts[p].idle {
		return "no offset to look at", nil
	}
	log := e.out.parts[p]
	if a.offset >= log.end {
		return fmt.Sprintf("the log ends at %d", log.end), nil
	}
	text := "nothing is there now"
	_, _, err := observation.ReadFile(log.path, false, func(b *observation.Batch) error {
		if a.offset >= b.First && a.offset <= b.Last {
			text = describeHolder(b, a.offset)
		}
		return nil
	})
	return text, err
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
