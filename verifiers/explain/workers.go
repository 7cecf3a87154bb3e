package explain

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// workers follows the record through every incarnation of every row's workers.
func (t *telling) workers() error {
	for _, l := range t.rows {
		if l.ProducerOnly {
			continue
		}
		t.passed[l.Name] = map[int32]int64{}
		files := t.histories(func(h harness.HistoryRecord) bool { return h.Role == "worker" && h.Pipeline == l.Name })
		if len(files) == 0 {
			t.missing("no worker of %s left a history: who had the record in hand is not recorded", l.Name)
		}
		for _, place := range t.inputs {
			if err := t.follow(l, place, files); err != nil {
				return err
			}
		}
	}
	return nil
}

// follow reads a row's histories for one place of the input.
func (t *telling) follow(l harness.PipelineLayout, place *harness.LogCopy, files []harness.HistoryRecord) error {
	var first *harness.LifeEvent
	touched := history.Time(0)
	for _, h := range files {
		w := &watch{t: t, layout: l, file: h, place: place}
		if err := t.read(h, w.take); err != nil {
			return err
		}
		w.close()
		if !w.touched {
			if w.passing != nil && (first == nil || w.passing.At < first.At) {
				first = w.passing
			}
			continue
		}
		for _, e := range w.events {
			t.add(e)
		}
		if w.passing != nil && (touched == 0 || w.passing.At < touched) {
			touched = w.passing.At
		}
	}
	// A commit of an incarnation that never had the record counts when it was the first to pass it: that is a skip.
	if first != nil && (touched == 0 || first.At < touched) {
		t.add(*first)
	}
	return nil
}
