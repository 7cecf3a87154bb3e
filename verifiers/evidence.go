package verifiers

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/prose"
	"github.com/chaeos/chaeos/verifiers/keyset"
)

// evidence is everything the checks of one row may look at.
type evidence struct {
	run     *run
	in      *inputLog
	out     *outputLog
	layout  harness.PipelineLayout
	source  *source
	workers []*worker
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

	txns       txnSums
	duplicates *provenance
	losses     *losses
	stalls     []harness.Stall
	open       []harness.Hanging
	// inputLost are acknowledged records that are not in the input log.
	inputLost *missingAcks
}

// gather builds a row's evidence.
func gather(r *run, in *inputLog, layout harness.PipelineLayout) (*evidence, error) {
	out, err := tallyOutput(r, in, layout)
	if err != nil {
		return nil, err
	}
	e := &evidence{run: r, in: in, out: out, layout: layout, source: r.sources[layout.Source], workers: r.sortedWorkers(layout.Name)}
	if e.source == nil {
		e.source = newSource(max(1, r.record.Plan.Partitions))
	}
	e.asked = r.askedKeys(layout)
	e.positions()
	e.settle()
	if err = e.lookIntoSuspects(); err != nil {
		return nil, err
	}
	if e.duplicates, err = trace(e); err != nil {
		return nil, err
	}
	if !layout.ProducerOnly {
		if e.inputLost, err = r.inputLosses(in, e.source, layout.Source); err != nil {
			return nil, err
		}
	}
	if e.losses, err = findLosses(e); err != nil {
		return nil, err
	}
	e.open = e.hanging()
	e.stalls, err = findStalls(e)
	return e, err
}

// outputsInTransactions says that the row's outputs are records in transactions. Effects are not, also where their calls
// are made between a transaction's begin and its end: they stand, however it ends.
func (e *evidence) outputsInTransactions() bool {
	return e.layout.Transactional && !e.layout.ProducerOnly && !e.layout.Effects
}

// positions works out how far the group's commits reach.
func (e *evidence) positions() {
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

// confirmedCommits are the highest confirmed positions of the history.
func (e *evidence) confirmedCommits() map[int32]int64 {
	highest := map[int32]int64{}
	for _, w := range e.workers {
		for p, offset := range w.highest {
			highest[p] = max(highest[p], offset)
		}
	}
	return highest
}

// settle splits the input.
func (e *evidence) settle() {
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

// name says which record a key is, for people, and in which topic it is due where the row has several.
func (e *evidence) name(k keyset.Key) string {
	text := e.inputName(k)
	if len(e.layout.Further) > 0 {
		text += " in " + e.at(k.Class).topic
	}
	return text
}

func (e *evidence) inputName(k keyset.Key) string {
	if e.layout.ProducerOnly {
		return fmt.Sprintf("source %d sequence %d", e.layout.Source, k.Sequence(e.run.record.Plan.Partitions))
	}
	text := fmt.Sprintf("%s/%d offset %d", e.run.record.Plan.Input, e.inputOf(k.Class), k.Index)
	if id, ok := e.identity(k); ok {
		text += fmt.Sprintf(" (source %d sequence %d)", id.Source, id.Sequence)
	}
	return text
}

// identity is what the input log holds at a key's place.
func (e *evidence) identity(k keyset.Key) (id history.Identity, ok bool) {
	p := e.inputOf(k.Class)
	if p < 0 || int(p) >= len(e.in.ids) {
		return id, false
	}
	c := cursor{ids: e.in.ids[p]}
	return c.identity(int64(k.Index))
}

// since is a monotonic time as people read it: from the load's start.
func (e *evidence) since(at history.Time) string {
	return fmt.Sprintf("%.1fs", at.Sub(e.run.record.Zero()).Seconds())
}

// number writes n with its thousands apart.
func number[T ~int | ~int64 | ~uint64](n T) string { return prose.Thousands(n) }

func pointer[T any](v T) *T { return &v }
