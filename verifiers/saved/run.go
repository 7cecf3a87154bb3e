package saved

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// Run is everything that a folder holds but its logs: the run's record, the read-back's index, and the histories summed up.
type Run struct {
	// Pieces bound what is held in memory at once.
	Pieces  Pieces
	Dir     string
	Record  *harness.RunRecord
	Index   *observation.Index
	Sources map[uint16]*Source
	workers map[string]map[txns.Incarnation]*Worker
	Live    *Live
	// polls are the files of the observer's histories with polls of the live reader.
	polls []string
	// Meters are those of every row's output partitions, by pipeline.
	Meters map[string][]*Meter
	// Doubts are reasons against calling anything held: of the whole run, and by pipeline.
	Doubts   []string
	DoubtsOf map[string][]string
}

// Doubt adds a reason against calling anything held, of one pipeline or ("") of the whole run.
func (r *Run) Doubt(pipeline, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if pipeline == "" {
		r.Doubts = append(r.Doubts, text)
		return
	}
	r.DoubtsOf[pipeline] = append(r.DoubtsOf[pipeline], text)
}

// Load reads a run's folder. It fails only if there is no verdict to give at all: no run record, a file of another
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
	changed, err := harness.CheckDigest(dir, record)
	if err != nil {
		return nil, err
	}
	for _, text := range changed {
		r.Doubt("", "%s", text)
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
	r.expectObserver()
	r.expectPlan()
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
	if p.ProducerOnly {
		return
	}
	if len(r.workers[p.Name]) == 0 {
		r.Doubt(p.Name, "no worker left a history")
		return
	}
	newest := map[uint16]uint32{}
	for i := range r.workers[p.Name] {
		newest[i.Worker] = max(newest[i.Worker], i.Number)
	}
	// A scaled pipeline has more workers than the run began with, and never fewer.
	for number := range max(r.Record.Workers, len(newest)) {
		if _, known := newest[uint16(number)]; !known {
			r.Doubt(p.Name, "worker %d left no history", number)
		}
	}
	for _, worker := range slices.Sorted(maps.Keys(newest)) {
		for n := uint32(1); n < newest[worker]; n++ {
			if r.workers[p.Name][txns.Of(worker, n)] == nil {
				r.Doubt(p.Name, "incarnation %d of worker %d left no history, a later one did", n, worker)
				break // one is enough: the numbers may be anything
			}
		}
	}
}

// expectObserver doubts the run without both of the observer's histories.
func (r *Run) expectObserver() {
	if !r.Live.Recorded {
		r.Doubt("", "the observer left no history")
		return
	}
	for _, name := range []string{"observer-live", "observer-samples"} {
		if !slices.ContainsFunc(r.Record.Histories, func(h harness.HistoryRecord) bool { return h.Process == name }) {
			r.Doubt("", "%s left no history", name)
		}
	}
	if len(r.Live.Standstills) == 0 {
		r.Doubt("", "the observer's history holds no sample")
	}
	if len(r.Live.DeliveredTo) == 0 {
		r.Doubt("", "the observer's history holds no delivery")
	}
}

// expectPlan doubts a run of which something was read back that its record doesn't name: it is not judged.
func (r *Run) expectPlan() {
	plan := r.Record.Plan
	if len(plan.Pipelines) == 0 {
		r.Doubt("", "the run's record names no pipeline: nothing is judged")
		return
	}
	named := map[string]bool{plan.Input: plan.Input != ""}
	for _, p := range plan.Pipelines {
		for _, topic := range p.Outputs() {
			named[topic] = true
		}
	}
	for _, p := range r.Index.Partitions {
		if !named[p.Topic] || p.Partition < 0 || int(p.Partition) >= plan.Partitions {
			r.Doubt("", "%s/%d was read back, and the run's record doesn't name it: it is not judged", p.Topic, p.Partition)
			return // one is enough: there may be any number
		}
	}
}

// SortedWorkers lists a pipeline's workers by number and incarnation.
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

// finalsOf are the final committed offsets of a pipeline's group (nil: not known).
func (r *Run) finalsOf(pipeline string) map[int32]int64 {
	for _, p := range r.Record.Plan.Pipelines {
		if p.Name == pipeline {
			return r.Finals(p.Group)
		}
	}
	return nil
}

// Finals are a group's committed offsets as the brokers gave them at the end (nil: they did not).
func (r *Run) Finals(group string) map[int32]int64 {
	var finals map[int32]int64
	for _, p := range r.Index.Positions {
		if p.Group == group && group != "" && p.Offset >= -1 {
			if finals == nil {
				finals = map[int32]int64{}
			}
			finals[p.Partition] = p.Offset
		}
	}
	return finals
}

// OutputPartitions is how many output partitions a row has.
func (r *Run) OutputPartitions(layout harness.PipelineLayout) int {
	return r.Record.Plan.Partitions * len(layout.Outputs())
}

// Monotonic turns a broker's wall clock into the run's: both are of one machine.
func (r *Run) Monotonic(millis int64) history.Time {
	return r.Record.Base.Add(time.UnixMilli(millis).Sub(r.Record.Started))
}
