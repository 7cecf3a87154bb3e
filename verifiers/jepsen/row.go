package jepsen

import (
	"cmp"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// Who wrote a history, as the run record says it.
const (
	roleSource   = "source"
	roleWorker   = "worker"
	observerLive = "observer-live"
)

// row is one row of the run, while it is written.
type row struct {
	dir, into string
	record    *harness.RunRecord
	index     *observation.Index
	keys      keys
	out       *writer
	processes processes

	sources, workers, observers []harness.HistoryRecord
	// recorded are the incarnations of workers that have a history.
	recorded map[incarnation]bool
	// inputs and outputs are the logs, by input partition and by the number of the output partition.
	inputs, outputs []*log
	outcomes        *sourceOutcomes
	passed          *passed
	copies          *copies
}

// write writes the whole history: the meaning of its keys, what no history tells of, what the histories tell in order of
// time, the pipeline as a whole, and the final polls.
func (r *row) write() (err error) {
	r.choose()
	if err := r.openLogs(); err != nil {
		return err
	}
	if r.outcomes, err = readSourceOutcomes(r.dir, r.sources, r.keys.partitions); err != nil {
		return err
	}
	if r.passed, err = readPassed(r.dir, r.workers, r.index, r.keys.layout.Group); err != nil {
		return err
	}
	if r.copies, err = newCopies(r.into); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.copies.close()) }()
	steps := []func() error{r.explain, r.lookForStrangers, r.copies.sort, r.tell, r.final}
	if !r.keys.layout.ProducerOnly {
		steps = slices.Insert(steps, len(steps)-1, r.through)
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// choose picks the histories that tell of the row.
func (r *row) choose() {
	r.recorded = map[incarnation]bool{}
	files := slices.Clone(r.record.Histories)
	slices.SortFunc(files, func(a, b harness.HistoryRecord) int {
		return cmp.Or(cmp.Compare(a.Incarnation, b.Incarnation), cmp.Compare(a.File, b.File))
	})
	layout := r.keys.layout
	for _, h := range files {
		if _, err := os.Stat(filepath.Join(r.dir, h.File)); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		switch {
		case h.Role == roleSource && h.Number == int(layout.Source):
			r.sources = append(r.sources, h)
		case h.Role == roleWorker && h.Pipeline == layout.Name && !layout.ProducerOnly:
			r.workers = append(r.workers, h)
			r.recorded[incarnationOf(h)] = true
		case h.Process == observerLive:
			r.observers = append(r.observers, h)
		}
	}
}

func incarnationOf(h harness.HistoryRecord) incarnation {
	return incarnation{uint16(h.Number), uint32(min(max(0, h.Incarnation), math.MaxUint32))}
}

// openLogs reads the headers of all logs of the row.
func (r *row) openLogs() error {
	for key := range r.keys.inputs() + r.keys.outputs {
		topic, partition := r.keys.plan.Input, key
		if key >= r.keys.inputs() {
			topic, partition = r.keys.layout.Place(key-r.keys.inputs(), r.keys.plan.Partitions)
		}
		l, err := openLog(r.dir, r.index.Partition(topic, partition), topic, partition, key)
		if err != nil {
			return err
		}
		if key < r.keys.inputs() {
			r.inputs = append(r.inputs, l)
		} else {
			r.outputs = append(r.outputs, l)
		}
	}
	return nil
}

// explain says what the keys are, as the answer to a request for the topics' state.
func (r *row) explain() error {
	return r.do(&op{f: fDebug, by: "final read", process: r.processes.another(), outcome: ok, keys: r.keys.all(), names: r.keys.name})
}

func (r *row) lookForStrangers() error {
	s := &strangers{row: r}
	for _, l := range r.inputs {
		if err := s.input(l); err != nil {
			return err
		}
	}
	for number, l := range r.outputs {
		if r.keys.layout.ProducerOnly {
			if err := s.input(l); err != nil {
				return err
			}
			continue
		}
		if err := errors.Join(s.output(l, int32(number)), s.orphans(l, int32(number))); err != nil {
			return err
		}
	}
	return s.flush()
}

// sentBySource reports whether a record is one that the row's source intended to send.
func (r *row) sentBySource(x *observation.Record) bool {
	return x.Status == observation.Input && x.Source == r.keys.layout.Source && r.outcomes.intended.has(x.Sequence)
}

// do writes an operation of which no time is known, when the newest event was.
func (r *row) do(o *op) error {
	return errors.Join(r.out.write(event{r.out.last, false, o}), r.out.write(event{r.out.last, true, o}))
}

// wall is a time of the run by the wall clock, in milliseconds.
func (r *row) wall(at history.Time) int64 {
	return r.record.Started.Add(at.Sub(r.record.Base)).UnixMilli()
}

func (r *row) outputKeys() []int32 { return upTo(r.keys.inputs(), r.keys.inputs()+r.keys.outputs) }
