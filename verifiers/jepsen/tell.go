package jepsen

import (
	"path/filepath"
	"strings"

	"github.com/chaeos/chaeos/harness"
)

// tell writes what the histories tell, in order of time.
func (r *row) tell() error {
	var feeds []*feed
	defer func() {
		for _, f := range feeds {
			_ = f.in.Close() // only read
		}
	}()
	open := func(h harness.HistoryRecord, t teller) error {
		f, err := openFeed(r.dir, h, t)
		if f != nil {
			feeds = append(feeds, f)
		}
		return err
	}
	for _, h := range r.sources {
		s := &source{
			by: nameOfProcess(h), file: h.File, number: r.keys.layout.Source, keys: r.keys, outcomes: r.outcomes, lanes: lanes{from: &r.processes},
		}
		if err := open(h, s); err != nil {
			return err
		}
	}
	for _, h := range r.workers {
		if err := open(h, newWorker(r, h)); err != nil {
			return err
		}
	}
	for _, h := range r.observers {
		if err := open(h, &live{row: r, by: nameOfProcess(h), process: r.processes.another()}); err != nil {
			return err
		}
	}
	return merge(feeds, r.out)
}

// nameOfProcess names a process and its incarnation, as its history's file does.
func nameOfProcess(h harness.HistoryRecord) string {
	return strings.TrimSuffix(filepath.Base(h.File), filepath.Ext(h.File))
}
