package explain

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// workers follows the records through every incarnation of every row's workers.
func (all tellings) workers(f *folder) error {
	for _, l := range f.record.Plan.Pipelines {
		some := all.through(l)
		if l.ProducerOnly || len(some) == 0 {
			continue
		}
		files := f.histories(func(h harness.HistoryRecord) bool { return h.Role == "worker" && h.Pipeline == l.Name })
		if len(files) == 0 {
			some.missing("no worker of %s left a history: who had the record in hand is not recorded", l.Name)
		}
		if err := some.follow(f, l, files); err != nil {
			return err
		}
	}
	return nil
}

// way is one place of the input on its way through a row's incarnations.
type way struct {
	t     *telling
	place *harness.LogCopy
	// first is the first commit past the record by an incarnation that never had it, touched when one that had it first
	// committed past it.
	first   *harness.LifeEvent
	touched history.Time
}

// follow reads a row's histories for the places of the input.
func (all tellings) follow(f *folder, l harness.PipelineLayout, files []harness.HistoryRecord) error {
	var ways []*way
	for _, t := range all {
		t.passed[l.Name] = map[int32]int64{}
		for _, place := range t.inputs {
			ways = append(ways, &way{t: t, place: place})
		}
	}
	for _, h := range files {
		watches := make([]*watch, len(ways))
		for i, x := range ways {
			watches[i] = &watch{t: x.t, layout: l, file: h, place: x.place}
		}
		if err := all.read(f, h, func(e history.Entry) {
			for _, w := range watches {
				w.take(e)
			}
		}); err != nil {
			return err
		}
		for i, w := range watches {
			ways[i].went(w)
		}
	}
	for _, x := range ways {
		// A commit of an incarnation that never had the record counts when it was the first to pass it: that is a skip.
		if x.first != nil && (x.touched == 0 || x.first.At < x.touched) {
			x.t.add(*x.first)
		}
	}
	return nil
}

// went takes what one incarnation did with the record.
func (x *way) went(w *watch) {
	w.close()
	if !w.touched {
		if w.passing != nil && (x.first == nil || w.passing.At < x.first.At) {
			x.first = w.passing
		}
		return
	}
	for _, e := range w.events {
		x.t.add(e)
	}
	if w.passing != nil && (x.touched == 0 || w.passing.At < x.touched) {
		x.touched = w.passing.At
	}
}
