package saved

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// run is everything that a folder holds, histories summed up, before the logs are streamed.
type Run struct {
	Pieces  Pieces
	Dir     string
	Record  *harness.RunRecord
	Index   *observation.Index
	Sources map[uint16]*Source
	workers map[string]map[txns.Incarnation]*Worker
	Live    *Live
	// polls are the histories with polls of the live reader.
	polls []string
	// meters are those of every row's output partitions.
	Meters map[string][]*Meter
	// doubts are reasons against calling anything held: of the whole run, and by pipeline.
	Doubts   []string
	DoubtsOf map[string][]string
}

func (r *Run) Doubt(pipeline, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if pipeline == "" {
		r.Doubts = append(r.Doubts, text)
		return
	}
	r.DoubtsOf[pipeline] = append(r.DoubtsOf[pipeline], text)
}

// load reads a run's folder. It fails only where there is no verdict to give at all: no run record, a file of another
// version.
func Load(dir string, pieces Pieces) (*Run, error) {
	record, err := harness.LoadRecord(dir)
	if err != nil {
		return nil, err
	}
	index, err := observation.LoadIndex(dir)
	if err != nil {
		return nil, err
	}
	r := &Run{
		Pieces: pieces,
		Dir:    dir, Record: record, Index: index, Sources: map[uint16]*Source{}, workers: map[string]map[txns.Incarnation]*Worker{},
		Live: newLiveLog(), Meters: map[string][]*Meter{}, DoubtsOf: map[string][]string{},
	}
	if index == nil {
		r.Index = &observation.Index{}
		r.Doubt("", "nothing was read back")
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
	for _, s := range r.Sources {
		s.compact()
	}
	if !r.Live.Recorded {
		r.Doubt("", "the observer left no history")
	}
	for _, incident := range record.Incidents {
		r.Doubt("", "incident: %s", incident)
	}
	return r, nil
}

// expectHistories doubts a pipeline without the histories that its numbers need.
func (r *Run) expectHistories(p harness.PipelineLayout) {
	if r.Sources[p.Source] == nil {
		r.Doubt(p.Name, "source %d left no history", p.Source)
	}
	if !p.ProducerOnly && len(r.workers[p.Name]) == 0 {
		r.Doubt(p.Name, "no worker left a history")
	}
}

// sorted lists a pipeline's workers by number and incarnation.
func (r *Run) SortedWorkers(pipeline string) []*Worker {
	var all []*Worker
	for _, w := range r.workers[pipeline] {
		all = append(all, w)
	}
	slices.SortFunc(all, func(a, b *Worker) int {
		return cmp.Or(cmp.Compare(a.Worker, b.Worker), cmp.Compare(a.Number, b.Number))
	})
	return all
}

// finalsOf are the final positions of a pipeline's group (nil: not known).
func (r *Run) finalsOf(pipeline string) map[int32]int64 {
	for _, p := range r.Record.Plan.Pipelines {
		if p.Name == pipeline {
			return r.Finals(p.Group)
		}
	}
	return nil
}

// finals are a group's positions as the brokers told them at the end (nil: they did not).
func (r *Run) Finals(group string) map[int32]int64 {
	var finals map[int32]int64
	for _, p := range r.Index.Positions {
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
func (r *Run) OutputPartitions(layout harness.PipelineLayout) int {
	return r.Record.Plan.Partitions * len(layout.Outputs())
}

// monotonic turns a broker's wall clock into the run's: both are of one machine.
func (r *Run) Monotonic(millis int64) history.Time {
	return r.Record.Base.Add(time.UnixMilli(millis).Sub(r.Record.Started))
}
