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
		id, holds = recordAt(b, offset)
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

func recordAt(b *observation.Batch, offset int64) (id history.Identity, why string) {
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

// input finds the records in their sources' topics.
func (all tellings) input(f *folder) error {
	in := map[string]tellings{}
	for _, t := range all {
		topic := f.logOf(t.life.Source)
		in[topic] = append(in[topic], t)
	}
	for topic, some := range in {
		found, err := some.find(f, topic, false)
		if err != nil {
			return err
		}
		for _, s := range found {
			s.input(topic)
		}
	}
	return nil
}

// input takes what was found in the source's topic.
func (s *sought) input(topic string) {
	t, pipeline := s.t, ""
	for _, l := range t.rows {
		if l.ProducerOnly {
			pipeline = l.Name
		}
	}
	t.inputs = s.copies
	for _, c := range s.copies {
		t.stored(pipeline, c)
	}
	if pipeline != "" {
		t.copies[pipeline], t.whole[pipeline] = s.copies, s.whole
	}
	if len(s.copies) > 0 {
		t.add(harness.LifeEvent{At: s.scheduled, Pipeline: pipeline, Kind: "scheduled", Text: "scheduled to be sent"})
		return
	}
	t.missing("its scheduled time: it stands in the record, and the record is not in %s", t.short(topic))
}

// outputs finds the records' outputs in every row's topics.
func (all tellings) outputs(f *folder) error {
	for _, l := range f.record.Plan.Pipelines {
		some := all.through(l)
		if l.ProducerOnly || len(some) == 0 {
			continue
		}
		for _, t := range some {
			t.whole[l.Name] = true
		}
		for _, topic := range l.Outputs() {
			found, err := some.find(f, topic, true)
			if err != nil {
				return err
			}
			for _, s := range found {
				s.output(l)
			}
		}
	}
	return nil
}

// output takes what was found in one of a row's topics.
func (s *sought) output(l harness.PipelineLayout) {
	s.t.copies[l.Name] = append(s.t.copies[l.Name], s.copies...)
	s.t.whole[l.Name] = s.t.whole[l.Name] && s.whole
	for _, c := range s.copies {
		if c.Effect = l.Effects; c.Effect {
			s.t.accepted(l.Name, c, s.scheduled)
		} else {
			s.t.stored(l.Name, c)
		}
	}
}

// stored tells of a copy in a log, at its batch's own time.
func (t *telling) stored(pipeline string, c *harness.LogCopy) {
	e := harness.LifeEvent{At: t.wall(c.Timestamp), Estimated: true, Pipeline: pipeline, Kind: "stored", Copy: c}
	e.Text = fmt.Sprintf("copy at %s/%d offset %d, %s", t.short(c.Topic), c.Partition, c.Offset, c.Standing)
	if o := c.Origin; o != nil {
		e.Incarnation = o.Incarnation
		e.Text += ", by " + maker(o)
		if o.Txn != 0 {
			e.Text += fmt.Sprintf(", transaction %d", o.Txn)
		}
	}
	e.Text += t.forked(c)
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

// forked says which replicas hold something else at a copy's offset. Of each replica only the first batch that differs is known.
func (f *folder) forked(c *harness.LogCopy) (text string) {
	if p := f.index.Partition(c.Topic, c.Partition); p != nil {
		for i := range p.Replicas {
			if r := &p.Replicas[i]; r.First.Covers(c.Offset) {
				text += fmt.Sprintf("; the replica on broker %d holds %s", r.Broker, r.First.Other)
			}
		}
	}
	return text
}

func maker(o *history.Origin) string {
	return fmt.Sprintf("worker %d incarnation %d, processing %d", o.Worker, o.Incarnation, o.Processing)
}

// accepted tells of an effect, at the service's own time, or where that was not kept as early as it can have been.
func (t *telling) accepted(pipeline string, c *harness.LogCopy, scheduled history.Time) {
	e := harness.LifeEvent{At: t.wall(c.Timestamp), Estimated: true, Pipeline: pipeline, Kind: "accepted", Copy: c}
	e.Text = "the external service accepts " + effect(c)
	if c.Timestamp == 0 {
		e.At = scheduled
		e.Text += ", at some later time"
		t.missing("when the external service accepted what: the run is of a version that did not keep it")
	}
	if o := c.Origin; o != nil {
		e.Incarnation = o.Incarnation
		e.Text += ", called by " + maker(o)
		if o.Txn != 0 {
			e.Text += fmt.Sprintf(", during transaction %d", o.Txn)
		}
	}
	t.add(e)
}

// effect names an effect by its place in the service's store.
func effect(c *harness.LogCopy) string {
	return fmt.Sprintf("side effect %d of partition %d", c.Offset, c.Partition)
}
