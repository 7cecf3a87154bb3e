package verifiers

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/keyset"
)

// row is what is known of one pipeline: its histories, its logs, and what became of each of its inputs.
type row struct {
	run     *run
	in      *inputLog
	out     *outputLog
	layout  harness.PipelineLayout
	source  *source
	workers []*worker
	keep    keeping
	// asked are the keys of the records that somebody asks about.
	asked map[keyset.Key]bool

	// input is what the row had to deliver, once for each of its output topics; inputN counts it another way.
	input  *keyset.Set
	inputN uint64
	// missing are inputs without a visible copy, split into hidden, lost and unprocessed. Unread counts those of the
	// hidden whose output partition was not read to its end.
	hidden, lost, unprocessed *keyset.Set
	unread                    uint64

	// final are the group's positions by OffsetFetch (-1: none committed), position the highest of those and of the
	// confirmed commits.
	final, position map[int32]int64
	haveFinal       bool
	// last counts, by input partition, the transactions that would have committed just the final position: only a single
	// one is proof of whose it is.
	last map[int32]int
}

// newRow reads a row's output and classifies its input.
func newRow(r *run, in *inputLog, layout harness.PipelineLayout, keep keeping) (*row, error) {
	out, err := tallyOutput(r, in, layout)
	if err != nil {
		return nil, err
	}
	e := &row{run: r, in: in, out: out, layout: layout, source: r.sources[layout.Source], workers: r.sortedWorkers(layout.Name), keep: keep}
	if e.source == nil {
		e.source = newSource(max(1, r.record.Plan.Partitions))
	}
	e.asked = keep.keys(layout, r.record.Plan.Partitions)
	e.positions()
	e.settle()
	return e, nil
}

// outputsInTransactions says that the row's outputs are records in transactions. Effects are not, also where their calls
// are made between a transaction's begin and its end: they stand, however it ends.
func (e *row) outputsInTransactions() bool {
	return e.layout.Transactional && !e.layout.ProducerOnly && !e.layout.Effects
}

// positions works out how far the group's commits reach.
func (e *row) positions() {
	e.final = e.run.finals(e.layout.Group)
	e.haveFinal = e.final != nil
	e.position, e.last = map[int32]int64{}, map[int32]int{}
	for p, final := range e.final {
		e.position[p] = max(0, final)
	}
	for partition, c := range e.confirmedCommits() {
		e.position[partition] = max(e.position[partition], c)
	}
	for _, w := range e.workers {
		for p, n := range w.last {
			e.last[p] += n
		}
	}
}

// confirmedCommits are the highest confirmed positions of the history.
func (e *row) confirmedCommits() map[int32]int64 {
	highest := map[int32]int64{}
	for _, w := range e.workers {
		for p, offset := range w.highest {
			highest[p] = max(highest[p], offset)
		}
	}
	return highest
}

// settle splits the input.
func (e *row) settle() {
	switch {
	case e.layout.ProducerOnly:
		e.input, e.inputN = e.source.offered(), e.source.acked.Len()+e.source.sent.Len()
	case e.layout.ReadCommitted:
		e.input, e.inputN = e.due(e.in.committed, e.in.committedN)
	default:
		e.input, e.inputN = e.due(e.in.uncommitted, e.in.uncommittedN)
	}
	missing := e.input.Minus(e.out.seen)
	e.hidden = missing.And(e.out.behind)
	rest := missing.Minus(e.out.behind)
	unread := rest.Where(func(class int32) bool { return !e.out.whole(class) })
	e.unread = unread.Len()
	e.hidden.Union(unread)
	rest = rest.Minus(unread)
	if e.layout.ProducerOnly {
		e.lost, e.unprocessed = rest, keyset.New()
		return
	}
	e.lost = rest.Below(e.limits())
	if e.layout.ShareGroup {
		e.lost.Union(rest.And(e.done(false)))
	}
	e.unprocessed = rest.Minus(e.lost)
}

// done are the inputs that a share group's members acknowledged, by partition and offset: nobody is handed them again.
// With sent, also those of which they never learnt whether the brokers took it.
func (e *row) done(sent bool) *keyset.Set {
	all := keyset.New()
	for _, w := range e.workers {
		if w.accepted != nil {
			all.Union(w.accepted)
		}
		if sent && w.sent != nil {
			all.Union(w.sent)
		}
	}
	return all
}

// meter is that of one of the row's output partitions.
func (e *row) meter(partition int32) *meter {
	if of := e.run.meters[e.layout.Name]; partition >= 0 && int(partition) < len(of) {
		return of[partition]
	}
	return newMeter(e.run.record)
}

func (e *row) partOf(partition int32) *partLog {
	if partition < 0 || int(partition) >= len(e.out.parts) {
		return nil
	}
	return e.out.parts[partition]
}

func (e *row) worker(l life) *worker {
	for _, w := range e.workers {
		if w.life == l {
			return w
		}
	}
	return nil
}

func (e *row) lifeOf(l life) harness.Life {
	if w := e.worker(l); w != nil {
		return lifeOf(w)
	}
	return harness.Life{Worker: l.Worker, Incarnation: l.Incarnation}
}
