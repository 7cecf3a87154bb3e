package explain

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
)

func missingFile(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// errFound ends a reading that has what it wants.
var errFound = errors.New("found")

// recordAt reads who is at a place in a log.
func (f *folder) recordAt(topic string, partition int32, offset int64) (history.Identity, error) {
	place := fmt.Sprintf("%s/%d offset %d", f.short(topic), partition, offset)
	holds := "the log ends before it"
	var id history.Identity
	_, _, err := observation.ReadFile(observation.File(f.dir, topic, partition), false, func(b *observation.Batch) error {
		if offset > b.Last {
			return nil
		}
		id, holds = holderOf(b, offset)
		return errFound
	})
	switch {
	case missingFile(err):
		return id, usagef("%s/%d was not read back, or the run has no such partition", f.short(topic), partition)
	case err != nil && !errors.Is(err, errFound):
		return id, err
	case holds != "":
		return id, usagef("%s names no record: %s", place, holds)
	}
	return id, nil
}

// holder says for people what is at a place now.
func (f *folder) holder(p harness.Place) string {
	text := "the log ends before it"
	_, _, err := observation.ReadFile(observation.File(f.dir, p.Topic, p.Partition), false, func(b *observation.Batch) error {
		if p.Offset > b.Last {
			return nil
		}
		id, why := holderOf(b, p.Offset)
		if text = why; why == "" {
			text = fmt.Sprintf("source %d sequence %d is there, in a batch of leader epoch %d", id.Source, id.Sequence, b.LeaderEpoch)
		}
		return errFound
	})
	if err != nil && !errors.Is(err, errFound) {
		return err.Error()
	}
	return text
}

func holderOf(b *observation.Batch, offset int64) (id history.Identity, why string) {
	switch {
	case offset < b.First:
		return id, fmt.Sprintf("nothing is there; the next batch begins at %d", b.First)
	case b.Damaged:
		return id, "it lies in a batch that is damaged"
	case b.Control:
		return id, "a transaction marker is there"
	}
	for i := range b.Records {
		if r := &b.Records[i]; r.Offset == offset {
			if r.Status > observation.Output {
				return id, "a corrupt or foreign record is there"
			}
			return r.Identity, ""
		}
	}
	return id, "nothing is there (compacted)"
}

// input finds the record in its source's topic.
func (t *telling) input() error {
	topic := t.logOf(t.life.Source)
	pipeline := ""
	for _, l := range t.rows {
		if l.ProducerOnly {
			pipeline = l.Name
		}
	}
	found, whole, scheduled, err := t.find(topic, false)
	if err != nil {
		return err
	}
	t.inputs = found
	for _, c := range found {
		t.stored(pipeline, c)
	}
	if pipeline != "" {
		t.copies[pipeline], t.whole[pipeline] = found, whole
	}
	if len(found) > 0 {
		t.add(harness.LifeEvent{At: scheduled, Pipeline: pipeline, Kind: "scheduled", Text: "scheduled to be sent"})
		return nil
	}
	t.missing("its scheduled time: it stands in the record, and the record is not in %s", t.short(topic))
	return nil
}

// outputs finds the record's outputs in every row's topic.
func (t *telling) outputs() error {
	for _, l := range t.rows {
		if l.ProducerOnly {
			continue
		}
		found, whole, _, err := t.find(l.Output, true)
		if err != nil {
			return err
		}
		t.copies[l.Name], t.whole[l.Name] = found, whole
		for _, c := range found {
			t.stored(l.Name, c)
		}
	}
	return nil
}

// stored tells of a copy in a log, at its batch's own time.
func (t *telling) stored(pipeline string, c *harness.LogCopy) {
	e := harness.LifeEvent{At: t.wall(c.Timestamp), Estimated: true, Pipeline: pipeline, Kind: "stored", Copy: c}
	e.Text = fmt.Sprintf("copy at %s/%d offset %d, %s", t.short(c.Topic), c.Partition, c.Offset, c.Standing)
	if o := c.Origin; o != nil {
		e.Incarnation = o.Incarnation
		e.Text += fmt.Sprintf(", by worker %d incarnation %d, processing %d", o.Worker, o.Incarnation, o.Processing)
		if o.Txn != 0 {
			e.Text += fmt.Sprintf(", transaction %d", o.Txn)
		}
	}
	t.add(e)
	if c.MarkerOffset < 0 {
		return
	}
	marker := "commit"
	if c.Standing == "aborted" {
		marker = "abort"
	}
	t.add(harness.LifeEvent{At: t.wall(c.MarkerTimestamp), Estimated: true, Pipeline: pipeline, Kind: "marker",
		Text: fmt.Sprintf("a broker writes the %s marker of its transaction to %s/%d, at offset %d", marker, t.short(c.Topic), c.Partition, c.MarkerOffset)})
}

// find streams a topic's partitions for the record.
func (t *telling) find(topic string, outputs bool) (found []*harness.LogCopy, whole bool, scheduled history.Time, err error) {
	whole = true
	for p := range int32(t.record.Plan.Partitions) {
		s := &search{id: t.life.Identity, outputs: outputs, topic: topic, partition: p}
		_, tail, err := observation.ReadFile(observation.File(t.dir, topic, p), false, func(b *observation.Batch) error {
			s.batch(b)
			return nil
		})
		info := t.index.Partition(topic, p)
		if missingFile(err) || info == nil {
			t.missing("%s/%d was not read back", t.short(topic), p)
			whole = false
			continue
		}
		if err != nil {
			return nil, false, 0, err
		}
		if !tail.Ended || !info.Complete {
			t.missing("%s/%d can be read up to offset %d of %d only%s", t.short(topic), p, s.end, info.HW, reason(tail.Reason))
			whole = false
		}
		found = append(found, s.finish(info.LSO)...)
		if s.seen {
			scheduled = s.scheduled
		}
	}
	return found, whole, scheduled, nil
}

// search looks for one record in one log.
type search struct {
	id        history.Identity
	outputs   bool
	topic     string
	partition int32
	txns      observation.Transactions
	copies    []*harness.LogCopy
	open      []*harness.LogCopy
	seen      bool
	scheduled history.Time
	end       int64
}

func (s *search) batch(b *observation.Batch) {
	s.txns.Add(b)
	s.end = b.Last + 1
	if b.Control {
		s.marker(b)
		return
	}
	for i := range b.Records {
		r := &b.Records[i]
		if r.Identity != s.id || r.Status > observation.Output || (r.Status == observation.Output) != s.outputs {
			continue
		}
		s.seen, s.scheduled = true, r.Scheduled
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
	}
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

// finish hides what is at or above the last stable offset, as the broker told it and as the log's open transactions say.
func (s *search) finish(lso int64) []*harness.LogCopy {
	if open := s.txns.Open(); len(open) > 0 {
		lso = min(lso, open[0].Start)
	}
	for _, c := range s.copies {
		if c.Standing == "visible" && c.FirstOffset >= lso {
			c.Standing = "hidden"
		}
	}
	return s.copies
}
