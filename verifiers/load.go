package verifiers

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// run is everything that a folder holds, histories summed up, before the logs are streamed.
type run struct {
	dir     string
	record  *harness.RunRecord
	index   *observation.Index
	sources map[uint16]*source
	workers map[string]map[life]*worker
	live    *liveLog
	// doubts are reasons against calling anything held: of the whole run, and by pipeline.
	doubts   []string
	doubtsOf map[string][]string
}

func (r *run) doubt(pipeline, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if pipeline == "" {
		r.doubts = append(r.doubts, text)
		return
	}
	r.doubtsOf[pipeline] = append(r.doubtsOf[pipeline], text)
}

// load reads a run's folder. It fails only where there is no verdict to give at all: no run record, a file of another
// version.
func load(dir string) (*run, error) {
	record, err := harness.LoadRecord(dir)
	if err != nil {
		return nil, err
	}
	index, err := observation.LoadIndex(dir)
	if err != nil {
		return nil, err
	}
	r := &run{
		dir: dir, record: record, index: index, sources: map[uint16]*source{}, workers: map[string]map[life]*worker{},
		live: newLiveLog(), doubtsOf: map[string][]string{},
	}
	if index == nil {
		r.index = &observation.Index{}
		r.doubt("", "nothing was read back")
	}
	files := slices.Clone(record.Histories)
	slices.SortFunc(files, func(a, b harness.HistoryRecord) int {
		return cmp.Or(cmp.Compare(a.Incarnation, b.Incarnation), cmp.Compare(a.File, b.File))
	})
	for _, h := range files {
		if err := r.loadHistory(h); err != nil {
			return nil, err
		}
	}
	for _, p := range record.Plan.Pipelines {
		r.expectHistories(p)
	}
	for _, s := range r.sources {
		s.compact()
	}
	if !r.live.recorded {
		r.doubt("", "the observer left no history")
	}
	for _, incident := range record.Incidents {
		r.doubt("", "incident: %s", incident)
	}
	return r, nil
}

// expectHistories doubts a pipeline without the histories that its numbers need.
func (r *run) expectHistories(p harness.PipelineLayout) {
	if r.sources[p.Source] == nil {
		r.doubt(p.Name, "source %d left no history", p.Source)
	}
	if !p.ProducerOnly && len(r.workers[p.Name]) == 0 {
		r.doubt(p.Name, "no worker left a history")
	}
}

// loadHistory sums one file up.
func (r *run) loadHistory(h harness.HistoryRecord) error {
	path := filepath.Join(r.dir, h.File)
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		r.doubt(h.Pipeline, "history %s is missing", h.File)
		return nil
	}
	if err != nil {
		return fmt.Errorf("history: %w", err)
	}
	take, done := r.taker(h)
	entries := 0
	tail, err := history.Scan(path, func(e history.Entry) error {
		if entries++; entries == 1 {
			r.checkProcess(h, e)
		}
		take(e)
		return nil
	})
	if err != nil {
		return err
	}
	done()
	r.checkTail(h, info.Size(), tail)
	return nil
}

func (r *run) checkProcess(h harness.HistoryRecord, e history.Entry) {
	p, ok := e.(*history.Process)
	switch {
	case !ok:
		r.doubt(h.Pipeline, "history %s doesn't say whose it is", h.File)
	case p.Run != r.record.RunID:
		r.doubt(h.Pipeline, "history %s is another run's", h.File)
	case int(p.Number) != h.Number || int(p.Incarnation) != h.Incarnation || p.Role != h.Role:
		r.doubt(h.Pipeline, "history %s is %s's, number %d, incarnation %d", h.File, p.Name, p.Number, p.Incarnation)
	}
}

// checkTail doubts what a cut or damaged history leaves out.
func (r *run) checkTail(h harness.HistoryRecord, size int64, tail history.Tail) {
	switch {
	case size < h.Bytes:
		r.doubt(h.Pipeline, "history %s has lost %d of %d bytes", h.File, h.Bytes-size, h.Bytes)
	case size > h.Bytes:
		r.doubt(h.Pipeline, "history %s has %d bytes more than its writer left", h.File, size-h.Bytes)
	case tail.LostBytes > 0 && !(h.Killed && tail.Reason == cutShort):
		r.doubt(h.Pipeline, "history %s: its last %d bytes can't be read: %s", h.File, tail.LostBytes, tail.Reason)
	case !tail.Ended && !h.Killed:
		r.doubt(h.Pipeline, "history %s was not closed, and nobody killed its writer", h.File)
	}
}

// cutShort is history's reason for a frame whose writer was killed while writing it: what it announces didn't happen.
const cutShort = "the last frame is cut short"

// taker returns what takes the entries of a file, and what is called after the last.
func (r *run) taker(h harness.HistoryRecord) (take func(history.Entry), done func()) {
	nothing := func() {}
	switch h.Role {
	case "source":
		number := uint16(h.Number)
		s := r.sources[number]
		if s == nil {
			s = newSource(max(1, r.record.Plan.Partitions))
			r.sources[number] = s
		}
		s.files = append(s.files, h.File)
		return s.add, nothing
	case "worker":
		w := newWorker(life{uint16(h.Number), uint32(min(max(0, h.Incarnation), math.MaxUint32))}, h.Process, r.finalsOf(h.Pipeline))
		w.file, w.killed = h.File, h.Killed
		if r.workers[h.Pipeline] == nil {
			r.workers[h.Pipeline] = map[life]*worker{}
		}
		r.workers[h.Pipeline][w.life] = w
		return w.add, w.close
	}
	r.live.recorded = true
	return func(e history.Entry) { r.live.add(e, r.record.LoadStart) }, nothing
}

// sorted lists a pipeline's workers by number and incarnation.
func (r *run) sortedWorkers(pipeline string) []*worker {
	var all []*worker
	for _, w := range r.workers[pipeline] {
		all = append(all, w)
	}
	slices.SortFunc(all, func(a, b *worker) int {
		return cmp.Or(cmp.Compare(a.Worker, b.Worker), cmp.Compare(a.Incarnation, b.Incarnation))
	})
	return all
}

// finalsOf are the final positions of a pipeline's group (nil: not known).
func (r *run) finalsOf(pipeline string) map[int32]int64 {
	for _, p := range r.record.Plan.Pipelines {
		if p.Name == pipeline {
			return r.finals(p.Group)
		}
	}
	return nil
}
