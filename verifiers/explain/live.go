package explain

import (
	"fmt"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/history"
)

// live reads when the live reader was given the copies.
func (all tellings) live(f *folder) error {
	files := f.histories(func(h harness.HistoryRecord) bool { return h.Role == "harness" })
	if len(files) == 0 {
		all.missing("the observer left no history: when a copy became visible is not recorded")
	}
	at := map[ask.TopicPartition]tellings{}
	for _, t := range all {
		for _, p := range t.partitions() {
			at[p] = append(at[p], t)
		}
	}
	for _, h := range files {
		if err := all.read(f, h, func(e history.Entry) {
			if seen, ok := e.(*history.DeliveredLive); ok {
				for _, t := range at[ask.TopicPartition{Topic: seen.Topic, Partition: seen.Partition}] {
					t.seen(h, seen)
				}
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

// partitions are those in which the record is, or was said to be, each once.
func (t *telling) partitions() []ask.TopicPartition {
	var out []ask.TopicPartition
	add := func(p ask.TopicPartition) {
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	for _, copies := range t.copies {
		for _, c := range copies {
			add(ask.TopicPartition{Topic: c.Topic, Partition: c.Partition})
		}
	}
	for _, p := range t.named {
		add(ask.TopicPartition{Topic: p.Topic, Partition: p.Partition})
	}
	return out
}

func (t *telling) seen(h harness.HistoryRecord, e *history.DeliveredLive) {
	for _, l := range t.rows {
		if !slices.Contains(l.Outputs(), e.Topic) {
			continue
		}
		text := fmt.Sprintf("a read_committed reader was given %s/%d offsets %d to %d", t.short(e.Topic), e.Partition, e.From, e.To-1)
		if l.Effects {
			text = fmt.Sprintf("the observer finds side effects %d to %d of partition %d in the service's store", e.From, e.To-1, e.Partition)
		}
		switch {
		case t.shows(l, e):
		case t.covers(e):
			text += "; the acknowledged record was among them"
		default:
			continue
		}
		t.add(harness.LifeEvent{At: e.At, Pipeline: l.Name, Process: h.Process, Kind: "seen", Text: text})
	}
}

// shows reports whether a copy of the record was among what the reader was delivered.
func (t *telling) shows(l harness.PipelineLayout, e *history.DeliveredLive) bool {
	return slices.ContainsFunc(t.copies[l.Name], func(c *harness.LogCopy) bool {
		return c.Topic == e.Topic && c.Partition == e.Partition && c.Offset >= e.From && c.Offset < e.To
	})
}

// covers says the same of the place that an acknowledgement named.
func (t *telling) covers(e *history.DeliveredLive) bool {
	return slices.ContainsFunc(t.named, func(p harness.Place) bool {
		return p.Topic == e.Topic && p.Partition == e.Partition && p.Offset >= e.From && p.Offset < e.To
	})
}
