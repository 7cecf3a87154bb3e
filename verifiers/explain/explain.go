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
	// copies are its outputs, by pipeline; whole says that every output partition was read to its end.
	copies map[string][]*harness.LogCopy
	whole  map[string]bool
	// acked says that the source was told that it is stored; intended that it was going to be sent.
	acked, intended bool
	// named are the places that acknowledgements named.
	named []harness.Place
	// passed are the highest confirmed positions of the input partition, by pipeline.
	passed map[string]map[int32]int64
}

// Of tells the life of the record that ref names. Pipeline narrows it to one ("" all that its source feeds). A record
// that the run doesn't know is a usage error.
func Of(dir string, ref Ref, pipeline string) (*harness.RecordLife, error) {
	f, err := openFolder(dir)
	if err != nil {
		return nil, err
	}
	t := &telling{
		folder: f, copies: map[string][]*harness.LogCopy{}, whole: map[string]bool{}, passed: map[string]map[int32]int64{},
		life: &harness.RecordLife{Run: f.record.Name, Experiment: f.record.Experiment, LoadStart: f.record.LoadStart, Faults: []harness.FaultRecord{}},
	}
	if t.life.Identity, err = f.identify(ref, pipeline); err != nil {
		return nil, err
	}
	if t.rows = f.rows(t.life.Source, pipeline); len(t.rows) == 0 && pipeline != "" {
		return nil, usagef("pipeline %s has no records of source %d", pipeline, t.life.Source)
	}
	for _, step := range []func() error{t.source, t.input, t.outputs, t.live, t.workers} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	if !t.intended && len(t.inputs) == 0 {
		return nil, usagef("source %d never sent sequence %d", t.life.Source, t.life.Sequence)
	}
	t.ends()
	t.faults()
	t.order()
	return t.life, nil
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
