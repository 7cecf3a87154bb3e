package explain

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// sought is a record that is looked for in a topic, and what was found of it.
type sought struct {
	t      *telling
	copies []*harness.LogCopy
	// whole means that every partition was read to its end, scheduled when the record was to be sent.
	whole     bool
	scheduled history.Time
}

// find streams a topic's partitions for the records of all tellings, in their order.
func (all tellings) find(f *folder, topic string, outputs bool) ([]*sought, error) {
	var found []*sought
	ids := map[history.Identity][]*sought{}
	for _, t := range all {
		s := &sought{t: t, whole: true}
		found = append(found, s)
		ids[t.life.Identity] = append(ids[t.life.Identity], s)
	}
	for p := range int32(f.record.Plan.Partitions) {
		s := &search{folder: f, ids: ids, outputs: outputs, topic: topic, partition: p, places: all.placesIn(topic, p)}
		whole, err := s.read(all)
		if err != nil {
			return nil, err
		}
		for _, x := range found {
			x.whole = x.whole && whole
		}
	}
	return found, nil
}

// placesIn are the places in one log that acknowledgements named, by offset.
func (all tellings) placesIn(topic string, partition int32) []harness.Place {
	var places []harness.Place
	for _, t := range all {
		for _, p := range t.named {
			if p.Topic == topic && p.Partition == partition {
				places = append(places, p)
			}
		}
	}
	slices.SortFunc(places, func(a, b harness.Place) int { return cmp.Compare(a.Offset, b.Offset) })
	return places
}

// search looks for records in one log, and for what is now at the places that acknowledgements named.
type search struct {
	*folder
	ids       map[history.Identity][]*sought
	outputs   bool
	topic     string
	partition int32
	places    []harness.Place
	txns      observation.Transactions
	// copies are those found in this log, open those of them that no marker has ended yet.
	copies, open []*harness.LogCopy
	end          int64
}

// read streams the log, and reports whether it could be read to its end.
func (s *search) read(all tellings) (whole bool, err error) {
	info := s.index.Partition(s.topic, s.partition)
	var tail observation.Tail
	err = fs.ErrNotExist
	if info != nil {
		_, tail, err = observation.ReadFile(observation.File(s.dir, s.topic, s.partition), false, func(b *observation.Batch) error {
			s.batch(b)
			return nil
		})
	}
	if missingFile(err) {
		all.missing("%s/%d was not read back", s.short(s.topic), s.partition)
		return false, nil
	}
	if err != nil {
		return false, err
	}
	s.finish(info.LSO)
	if !tail.Ended || !info.Complete {
		all.missing("%s/%d can be read up to offset %d of %d only%s", s.short(s.topic), s.partition, s.end, info.HW, reason(tail.Reason))
		return false, nil
	}
	return true, nil
}

func (s *search) batch(b *observation.Batch) {
	s.txns.Add(b)
	s.end = b.Last + 1
	for ; len(s.places) > 0 && s.places[0].Offset <= b.Last; s.places = s.places[1:] {
		s.holders[s.places[0]] = holding(b, s.places[0].Offset)
	}
	if b.Control {
		s.marker(b)
		return
	}
	for i := range b.Records {
		r := &b.Records[i]
		if r.Status > observation.Output || (r.Status == observation.Output) != s.outputs {
			continue
		}
		for _, x := range s.ids[r.Identity] {
			x.scheduled = r.Scheduled
			x.copies = append(x.copies, s.copied(b, r))
		}
	}
}

// copied is a copy of a record, as its batch's header describes it.
func (s *search) copied(b *observation.Batch, r *observation.Record) *harness.LogCopy {
	c := &harness.LogCopy{
		Topic: s.topic, Partition: s.partition, Offset: r.Offset, Standing: "visible", FirstOffset: b.First, LastOffset: b.Last,
		ProducerID: b.ProducerID, Epoch: b.ProducerEpoch, BaseSequence: b.BaseSequence, Sequence: b.Sequence(r.Offset),
		LeaderEpoch: b.LeaderEpoch, Transactional: b.Transactional, Timestamp: b.MaxTimestamp, MarkerOffset: -1,
	}
	if s.outputs {
		origin := r.Origin
		c.Origin = &origin
	}
	s.copies = append(s.copies, c)
	if b.Transactional {
		s.open = append(s.open, c)
	}
	return c
}

// marker ends the transactions of the copies that its producer wrote.
func (s *search) marker(b *observation.Batch) {
	if b.Marker != observation.MarkerCommit && b.Marker != observation.MarkerAbort {
		return
	}
	var open []*harness.LogCopy
	for _, c := range s.open {
		if c.ProducerID != b.ProducerID {
			open = append(open, c)
			continue
		}
		c.MarkerOffset, c.MarkerTimestamp = b.First, b.MaxTimestamp
		if b.Marker == observation.MarkerAbort {
			c.Standing = "aborted"
		}
	}
	s.open = open
}

// finish hides what is at or above the last stable offset, as the broker gave it and as the log's open transactions have it.
func (s *search) finish(lso int64) {
	if open := s.txns.Open(); len(open) > 0 {
		lso = min(lso, open[0].Start)
	}
	for _, c := range s.copies {
		if c.Standing == "visible" && c.FirstOffset >= lso {
			c.Standing = "hidden"
		}
	}
}

// holding says for people what is at an offset, given the batch that reaches it.
func holding(b *observation.Batch, offset int64) string {
	id, why := recordAt(b, offset)
	if why != "" {
		return why
	}
	return fmt.Sprintf("source %d sequence %d is there, in a batch of leader epoch %d", id.Source, id.Sequence, b.LeaderEpoch)
}
