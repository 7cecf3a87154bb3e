package verifiers

import (
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/saved"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// slowRow is one row of a world as the oracle works with it: lists and maps, one record after the other, no bitmaps, no sums,
// no files. It follows docs/NUMBERS.md and none of the checks.
type slowRow struct {
	w      *world
	layout harness.PipelineLayout
	index  *observation.Index
	input  map[tpo]bool
	// copies are the row's own records in its output, by the order of partitions and offsets; corrupt and foreign count others.
	copies           []slowCopy
	corrupt, foreign uint64
	lives            []*slowLife
	source           *slowSource
	// final are the group's positions at the end, confirmed the highest confirmed commits, position the higher of both.
	final, confirmed, position map[int32]int64
}

// slowCopy is one record of the output. An orphan's input is not where it says in the input log.
type slowCopy struct {
	number int32
	batch  *observation.Batch
	rec    observation.Record
	// shown is what the row's readers see of it, decided what the log's markers say.
	shown, decided txns.Visibility
	key            tpo
	orphan         bool
}

// tpo is a place in the input, and the topic that its output is due in.
type tpo struct {
	topic     string
	partition int32
	offset    int64
}

func (c slowCopy) life() txns.Incarnation { return txns.Of(c.rec.Worker, c.rec.Incarnation) }

func newSlowRow(w *world, layout harness.PipelineLayout) *slowRow {
	s := &slowRow{w: w, layout: layout, index: w.saved, input: map[tpo]bool{}, final: map[int32]int64{}, confirmed: map[int32]int64{}, position: map[int32]int64{}}
	s.source = slowSourceOf(w, layout.Source)
	s.findInput()
	for number := range int32(parts * len(layout.Outputs())) {
		s.readOutput(number)
	}
	if layout.ProducerOnly {
		return s
	}
	for _, name := range w.order {
		if f := w.files[name]; f.record.Role == saved.RoleWorker && f.record.Pipeline == layout.Name {
			s.lives = append(s.lives, slowLifeOf(f, layout.Effects))
		}
	}
	for _, p := range s.index.Positions {
		if p.Group == layout.Group {
			s.final[p.Partition] = p.Offset
			s.position[p.Partition] = max(0, p.Offset)
		}
	}
	for _, l := range s.lives {
		for _, c := range l.commits {
			for _, o := range c.offsets {
				if c.outcome == history.OutcomeConfirmed {
					s.confirmed[o.Partition] = max(s.confirmed[o.Partition], o.Offset)
					s.position[o.Partition] = max(s.position[o.Partition], o.Offset)
				}
			}
		}
	}
	return s
}

// whole means that a row's output partition was read to its end.
func (s *slowRow) whole(number int32) bool {
	topic, p := s.layout.Place(number, parts)
	return s.index.Partition(topic, p).Complete
}

// findInput lists what the row had to deliver: what was acknowledged to the source, or sent with acks=0, or what the input
// log holds.
func (s *slowRow) findInput() {
	if s.layout.ProducerOnly {
		for seq, end := range s.source.ends {
			if end == ackedEnd || end == sentEnd {
				s.input[bySeq(s.layout.Output, seq)] = true
			}
		}
		return
	}
	for p := range int32(parts) {
		fates, stable := fatesOf(s.w.log(inTopic, p))
		for i, b := range s.w.log(inTopic, p).batches {
			for _, rec := range recordsOf(b) {
				if rec.Status == observation.Input && (!s.layout.ReadCommitted || fates[i] != txns.Aborted && rec.Offset < stable) {
					for _, topic := range s.layout.Outputs() {
						s.input[tpo{topic, p, rec.Offset}] = true
					}
				}
			}
		}
	}
}

// bySeq is where a record of a source under test is due.
func bySeq(topic string, seq uint64) tpo { return tpo{topic, int32(seq % parts), int64(seq / parts)} }

// recordsOf are a batch's records, as far as they can be read.
func recordsOf(b *observation.Batch) []observation.Record {
	if b.Damaged {
		return nil
	}
	return b.Records
}

func (s *slowRow) readOutput(number int32) {
	topic, p := s.layout.Place(number, parts)
	l := s.w.log(topic, p)
	fates, stable := fatesOf(l)
	for i, b := range l.batches {
		if b.Damaged {
			s.corrupt += uint64(b.Count)
		}
		for _, rec := range recordsOf(b) {
			c := slowCopy{number: number, batch: b, rec: rec, decided: fates[i]}
			if c.decided != txns.Aborted && rec.Offset >= stable {
				c.decided = txns.Hidden
			}
			if c.shown = c.decided; s.layout.ReadUncommittedOutput {
				c.shown = txns.Visible
			}
			ours := false
			switch {
			case rec.Status == observation.Corrupt:
				s.corrupt++
				continue
			case rec.Status == observation.Foreign || rec.Source != s.layout.Source || (rec.Status == observation.Input) != s.layout.ProducerOnly:
			case s.layout.ProducerOnly:
				c.key, ours = bySeq(topic, rec.Sequence), s.source.intended[rec.Sequence]
			default:
				c.key = tpo{topic, rec.Partition, rec.Origin.Offset}
				c.orphan = !s.holds(rec.Partition, rec.Origin.Offset, rec.Identity)
				ours = !c.orphan || s.source.intended[rec.Sequence]
			}
			if ours {
				s.copies = append(s.copies, c)
			} else if c.shown == txns.Visible {
				s.foreign++
			}
		}
	}
}

// holds means that the input log has a record at a place.
func (s *slowRow) holds(partition int32, offset int64, id history.Identity) bool {
	for _, b := range s.w.log(inTopic, partition).batches {
		for _, rec := range recordsOf(b) {
			if rec.Offset == offset && rec.Status == observation.Input {
				return rec.Identity == id
			}
		}
	}
	return false
}

// visibleOf lists each input's visible copies.
func (s *slowRow) visibleOf() map[tpo][]slowCopy {
	all := map[tpo][]slowCopy{}
	for _, c := range s.copies {
		if c.shown == txns.Visible && !c.orphan {
			all[c.key] = append(all[c.key], c)
		}
	}
	return all
}

// fatesOf looks, for every batch, for the next marker of its producer.
func fatesOf(l *topicLog) (fates map[int]txns.Visibility, stable int64) {
	fates, stable = map[int]txns.Visibility{}, l.next
	for i, b := range l.batches {
		if !b.Transactional || b.Control || b.Damaged {
			continue
		}
		next := slices.IndexFunc(l.batches[i:], func(m *observation.Batch) bool {
			return m.Control && !m.Damaged && m.ProducerID == b.ProducerID
		})
		switch {
		case next < 0:
			fates[i] = txns.Hidden
			stable = min(stable, b.First)
		case l.batches[i+next].Marker == observation.MarkerAbort:
			fates[i] = txns.Aborted
		default:
			fates[i] = txns.Visible
		}
	}
	return fates, stable
}
