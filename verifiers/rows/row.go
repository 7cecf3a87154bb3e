package rows

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/saved"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// row is what is known of one pipeline: its histories, its logs, and what became of each of its inputs.
type Row struct {
	Run     *saved.Run
	In      *logs.Input
	Out     *logs.Output
	Layout  harness.PipelineLayout
	Source  *saved.Source
	Workers []*saved.Worker
	Keep    Keep
	// asked are the keys of the records that somebody asks about.
	Asked map[keyset.Key]bool

	// input is what the row had to deliver, once for each of its output topics; inputN counts it another way.
	Input      *keyset.Set
	InputCount uint64
	// missing are inputs without a visible copy, split into hidden, lost and unprocessed. Unread counts those of the
	// hidden whose output partition was not read to its end.
	Hidden, Lost, Unprocessed *keyset.Set
	Unread                    uint64

	// final are the group's positions by OffsetFetch (-1: none committed), position the highest of those and of the
	// confirmed commits.
	FinalOffsets, Passed map[int32]int64
	HaveFinal            bool
	// last counts, by input partition, the transactions that would have committed just the final position: only a single
	// one is proof of whose it is.
	Last map[int32]int
}

// newRow reads a row's output and classifies its input.
func New(r *saved.Run, in *logs.Input, layout harness.PipelineLayout, keep Keep) (*Row, error) {
	out, err := logs.ReadOutput(r, in, layout)
	if err != nil {
		return nil, err
	}
	e := &Row{Run: r, In: in, Out: out, Layout: layout, Source: r.Sources[layout.Source], Workers: r.SortedWorkers(layout.Name), Keep: keep}
	if e.Source == nil {
		e.Source = saved.NewSource(max(1, r.Record.Plan.Partitions))
	}
	e.Asked = keep.keys(layout, r.Record.Plan.Partitions)
	e.committedOffsets()
	e.classify()
	return e, nil
}

// outputsInTransactions says that the row's outputs are records in transactions. Effects are not, also where their calls
// are made between a transaction's begin and its end: they stand, however it ends.
func (e *Row) OutputsInTransactions() bool {
	return e.Layout.Transactional && !e.Layout.ProducerOnly && !e.Layout.Effects
}

// positions works out how far the group's commits reach.
func (e *Row) committedOffsets() {
	e.FinalOffsets = e.Run.Finals(e.Layout.Group)
	e.HaveFinal = e.FinalOffsets != nil
	e.Passed, e.Last = map[int32]int64{}, map[int32]int{}
	for p, final := range e.FinalOffsets {
		e.Passed[p] = max(0, final)
	}
	for partition, c := range e.ConfirmedCommits() {
		e.Passed[partition] = max(e.Passed[partition], c)
	}
	for _, w := range e.Workers {
		for p, n := range w.Last {
			e.Last[p] += n
		}
	}
}

// confirmedCommits are the highest confirmed positions of the history.
func (e *Row) ConfirmedCommits() map[int32]int64 {
	highest := map[int32]int64{}
	for _, w := range e.Workers {
		for p, offset := range w.Highest {
			highest[p] = max(highest[p], offset)
		}
	}
	return highest
}

// settle splits the input.
func (e *Row) classify() {
	switch {
	case e.Layout.ProducerOnly:
		e.Input, e.InputCount = e.Source.Offered(), e.Source.Acked.Len()+e.Source.Sent.Len()
	case e.Layout.ReadCommitted:
		e.Input, e.InputCount = e.due(e.In.Committed, e.In.CommittedCount)
	default:
		e.Input, e.InputCount = e.due(e.In.Uncommitted, e.In.UncommittedCount)
	}
	missing := e.Input.Minus(e.Out.Visible)
	e.Hidden = missing.And(e.Out.Hidden)
	rest := missing.Minus(e.Out.Hidden)
	unread := rest.Where(func(class int32) bool { return !e.Out.Whole(class) })
	e.Unread = unread.Len()
	e.Hidden.Union(unread)
	rest = rest.Minus(unread)
	if e.Layout.ProducerOnly {
		e.Lost, e.Unprocessed = rest, keyset.New()
		return
	}
	e.Lost = rest.Below(e.limits())
	if e.Layout.ShareGroup {
		e.Lost.Union(rest.And(e.Acknowledged(false)))
	}
	e.Unprocessed = rest.Minus(e.Lost)
}

// done are the inputs that a share group's members acknowledged, by partition and offset: nobody is handed them again.
// With sent, also those of which they never learnt whether the brokers took it.
func (e *Row) Acknowledged(sent bool) *keyset.Set {
	all := keyset.New()
	for _, w := range e.Workers {
		if w.Accepted != nil {
			all.Union(w.Accepted)
		}
		if sent && w.Sent != nil {
			all.Union(w.Sent)
		}
	}
	return all
}

// meter is that of one of the row's output partitions.
func (e *Row) Meter(partition int32) *saved.Meter {
	if of := e.Run.Meters[e.Layout.Name]; partition >= 0 && int(partition) < len(of) {
		return of[partition]
	}
	return saved.NewMeter(e.Run.Record)
}

func (e *Row) OutputPartition(partition int32) *logs.Partition {
	if partition < 0 || int(partition) >= len(e.Out.Parts) {
		return nil
	}
	return e.Out.Parts[partition]
}

func (e *Row) Worker(l txns.Incarnation) *saved.Worker {
	for _, w := range e.Workers {
		if w.Incarnation == l {
			return w
		}
	}
	return nil
}

func (e *Row) IncarnationRef(l txns.Incarnation) harness.Life {
	if w := e.Worker(l); w != nil {
		return saved.IncarnationRef(w)
	}
	return harness.Life{Worker: l.Worker, Incarnation: l.Number}
}
