package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/nearest"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// folder is a run's folder as far as it is small: the record and the read-back's index.
type folder struct {
	dir    string
	record *harness.RunRecord
	index  *observation.Index
	// holders say for people what is now at the places that acknowledgements named, as far as a log reaches them.
	holders map[harness.Place]string
}

// heldAt says for people what is at a place now.
func (f *folder) heldAt(p harness.Place) string {
	if text, ok := f.holders[p]; ok {
		return text
	}
	return "the log ends before it"
}

func openFolder(dir string) (*folder, error) {
	record, err := harness.LoadRecord(dir)
	if err != nil {
		return nil, err
	}
	index, err := observation.LoadIndex(dir)
	if err != nil {
		return nil, err
	}
	if index == nil {
		index = &observation.Index{}
	}
	return &folder{dir: dir, record: record, index: index, holders: map[harness.Place]string{}}, nil
}

// wall turns a batch's wall-clock stamp into the run's clock.
func (f *folder) wall(millis int64) history.Time {
	return f.record.Base.Add(time.UnixMilli(millis).Sub(f.record.Started))
}

// short is a topic's name without the run's, which all of them begin with.
func (f *folder) short(topic string) string { return strings.TrimPrefix(topic, f.record.Name+"-") }

// topic resolves the name that a person gave: the topic's own, "input", or a pipeline's.
func (f *folder) topic(name string) (string, error) {
	plan := f.record.Plan
	known := []string{"input"}
	if name == plan.Input || name == "input" {
		return plan.Input, nil
	}
	for _, l := range plan.Pipelines {
		if name == l.Name {
			return l.Output, nil
		}
		for _, topic := range l.Outputs() {
			if name == topic || name == f.short(topic) {
				return topic, nil
			}
		}
		known = append(known, l.Name)
	}
	return "", usagef("the run has no topic %q%s (topics: %s)", name, hint(name, known), strings.Join(known, ", "))
}

// layout returns the named pipeline's layout, with the nearest names where there is none.
func (f *folder) layout(name string) (harness.PipelineLayout, error) {
	l, err := f.record.Plan.Pipeline(name)
	if err != nil {
		var known []string
		for _, l := range f.record.Plan.Pipelines {
			known = append(known, l.Name)
		}
		return l, usagef("the run has no pipeline %q%s (pipelines: %s)", name, hint(name, known), strings.Join(known, ", "))
	}
	return l, nil
}

func hint(name string, known []string) string {
	near := nearest.Names(name, known)
	if len(near) == 0 {
		return ""
	}
	return ": did you mean " + strings.Join(near, " or ") + "?"
}

// rows are the pipelines that a source's records go through, or the one that is asked for.
func (f *folder) rows(source uint16, pipeline string) []harness.PipelineLayout {
	var rows []harness.PipelineLayout
	for _, l := range f.record.Plan.Pipelines {
		if l.Source == source && (pipeline == "" || l.Name == pipeline) {
			rows = append(rows, l)
		}
	}
	return rows
}

// logOf is the topic that a source writes to.
func (f *folder) logOf(source uint16) string {
	for _, l := range f.record.Plan.Pipelines {
		if l.ProducerOnly && l.Source == source {
			return l.Output
		}
	}
	return f.record.Plan.Input
}

// histories are the files of one role, in the order of their incarnations.
func (f *folder) histories(keep func(harness.HistoryRecord) bool) []harness.HistoryRecord {
	var files []harness.HistoryRecord
	for _, h := range f.record.Histories {
		if keep(h) {
			files = append(files, h)
		}
	}
	slices.SortStableFunc(files, func(a, b harness.HistoryRecord) int { return a.Incarnation - b.Incarnation })
	return files
}

func usagef(format string, args ...any) error {
	return harness.UsageError{Reason: fmt.Sprintf(format, args...)}
}
