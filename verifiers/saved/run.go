package verifiers

import (
	"cmp"
	"fmt"
	"slices"
	"time"

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
	// meters are those of every row's output partitions.
	meters map[string][]*meter
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
		live: newLiveLog(), meters: map[string][]*meter{}, doubtsOf: map[string][]string{},
	}
	if index == nil {
		r.index = &observation.Index{}
		r.doubt("", "nothing was read back")
	}
	files := slices.Clone(record.Histories)
	slices.SortFunc(files, func(a, b harness.HistoryRecord) int {
		return cmp.Or(cmp.Compare(a.Incarnation, b.Incarnation), cmp.Compare(a.File, b.File))
	})
	if err := r.loadHistories(files); err != nil {
		return nil, err
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

// finals are a group's positions as the brokers told them at the end (nil: they did not).
func (r *run) finals(group string) map[int32]int64 {
	var finals map[int32]int64
	for _, p := range r.index.Positions {
		if p.Group == group && group != "" {
			if finals == nil {
				finals = map[int32]int64{}
			}
			finals[p.Partition] = p.Offset
		}
	}
	return finals
}

// outputPartitions is how many output partitions a row has.
func (r *run) outputPartitions(layout harness.PipelineLayout) int {
	return r.record.Plan.Partitions * len(layout.Outputs())
}

// monotonic turns a broker's wall clock into the run's: both are of one machine.
func (r *run) monotonic(millis int64) history.Time {
	return r.record.Base.Add(time.UnixMilli(millis).Sub(r.record.Started))
}
