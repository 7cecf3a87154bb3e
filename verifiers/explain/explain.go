package explain

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// telling is one life being put together.
type telling struct {
	*folder
	life *harness.RecordLife
	rows []harness.PipelineLayout
	// inputs are the record's places in its source's topic.
	inputs []*harness.LogCopy
	// copies are its outputs, by pipeline; whole means that every output partition was read to its end.
	copies map[string][]*harness.LogCopy
	whole  map[string]bool
	// acked means that it was acknowledged to the source, intended that the source was going to send it.
	acked, intended bool
	// named are the places that acknowledgements named.
	named []harness.Place
	// passed are the highest confirmed positions of the input partition, by pipeline.
	passed map[string]map[int32]int64
}

// Wanted is a record whose life is wanted, and the pipeline that it is narrowed to ("" all that its source feeds).
type Wanted struct {
	Ref
	Pipeline string
}

// Of tells the life of the record that ref names. Pipeline narrows it to one ("" all that its source feeds). A record
// that the run doesn't know is a usage error.
func Of(dir string, ref Ref, pipeline string) (*harness.RecordLife, error) {
	lives, err := Many(dir, []Wanted{{ref, pipeline}}, nil)
	if err != nil {
		return nil, err
	}
	return lives[0], nil
}

// Many tells the lives of many records, in their order, and reads the run's files once for all of them. Known are anomalies
// of theirs that the caller has from a report; what a life needs beyond them is found by judging the run again.
func Many(dir string, wanted []Wanted, known []harness.Anomaly) ([]*harness.RecordLife, error) {
	f, err := openFolder(dir)
	if err != nil {
		return nil, err
	}
	return f.tell(wanted, known)
}

func (f *folder) tell(wanted []Wanted, known []harness.Anomaly) ([]*harness.RecordLife, error) {
	var all tellings
	for _, w := range wanted {
		t, err := f.telling(w)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	for _, step := range []func(*folder) error{all.source, all.input, all.outputs, all.live, all.workers} {
		if err := step(f); err != nil {
			return nil, err
		}
	}
	for _, t := range all {
		if !t.intended && len(t.inputs) == 0 {
			return nil, usagef("source %d never sent sequence %d", t.life.Source, t.life.Sequence)
		}
		t.ends()
	}
	if err := all.causes(f, known); err != nil {
		return nil, err
	}
	var lives []*harness.RecordLife
	for _, t := range all {
		t.faults()
		t.order()
		lives = append(lives, t.life)
	}
	return lives, nil
}

// telling begins a life.
func (f *folder) telling(w Wanted) (*telling, error) {
	t := &telling{
		folder: f, copies: map[string][]*harness.LogCopy{}, whole: map[string]bool{}, passed: map[string]map[int32]int64{},
		life: &harness.RecordLife{Run: f.record.Name, Experiment: f.record.Experiment, LoadStart: f.record.Zero(), Faults: []harness.FaultRecord{}},
	}
	var err error
	if t.life.Identity, err = f.identify(w.Ref, w.Pipeline); err != nil {
		return nil, err
	}
	if t.rows = f.rows(t.life.Source, w.Pipeline); len(t.rows) == 0 && w.Pipeline != "" {
		return nil, usagef("pipeline %s has no records of source %d", w.Pipeline, t.life.Source)
	}
	return t, nil
}

// identify resolves a reference to an identity.
func (f *folder) identify(ref Ref, pipeline string) (history.Identity, error) {
	if pipeline != "" {
		l, err := f.layout(pipeline)
		if err != nil {
			return history.Identity{}, err
		}
		if ref.AnySource {
			ref.Source = l.Source
		}
	}
	if !ref.ByPlace {
		return ref.Identity, nil
	}
	topic, err := f.topic(ref.Topic)
	if err != nil {
		return history.Identity{}, err
	}
	return f.recordAt(topic, ref.Partition, ref.Offset)
}

// tellings are the records' lives that are listed together.
type tellings []*telling

// of are those that a choice wants.
func (all tellings) of(want func(*telling) bool) tellings {
	var some tellings
	for _, t := range all {
		if want(t) {
			some = append(some, t)
		}
	}
	return some
}

// through are those whose record goes through a pipeline.
func (all tellings) through(l harness.PipelineLayout) tellings {
	return all.of(func(t *telling) bool {
		return slices.ContainsFunc(t.rows, func(row harness.PipelineLayout) bool { return row.Name == l.Name })
	})
}

func (all tellings) missing(format string, args ...any) {
	for _, t := range all {
		t.missing(format, args...)
	}
}

func (t *telling) add(e harness.LifeEvent) { t.life.Events = append(t.life.Events, e) }

func (t *telling) missing(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(t.life.Missing, text) {
		t.life.Missing = append(t.life.Missing, text)
	}
}

// order puts the events in time order; what one process did at one moment stays in its own order.
func (t *telling) order() {
	slices.SortStableFunc(t.life.Events, func(a, b harness.LifeEvent) int { return cmp.Compare(a.At, b.At) })
}
