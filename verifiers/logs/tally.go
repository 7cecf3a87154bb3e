package logs

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// tally counts one output partition while it is streamed.
type tally struct {
	*Output
	log     *Partition
	keys    keys
	readers []Reader
	batch   Batch
	// pieces are the batch's, those that were visible before taken apart.
	pieces []Piece
	// workers means that records name the worker that wrote them, transactions that a transaction may hold them. A source
	// under test names no worker, and a side effect stays, however the transaction around its call ends.
	workers, transactions bool
	// The last record's transaction and what its counts are counted with: neighbours mostly share them.
	key    txns.Key
	valid  bool
	by     *txns.Tally
	weight [txns.Hidden + 1]uint64
}

func newTally(p *Partition, k keys, layout harness.PipelineLayout, readers []Reader) *tally {
	t := &tally{Output: newOutput(), log: p, keys: k, readers: readers, workers: !layout.ProducerOnly}
	t.transactions = t.workers && !layout.Effects
	t.Parts = []*Partition{p}
	return t
}

func (t *tally) read(section int) error {
	if t.log.Idle {
		return nil
	}
	want := observation.Input
	if t.workers {
		want = observation.Output
	}
	follow := newOffsets(t.log)
	_, tail, err := observation.ReadSpans(t.log.Path, func(raw *observation.Batch) error {
		t.log.sections.add(raw, t.keys, section)
		b := t.log.batch(&t.batch, t.keys, raw)
		follow.take(b, t.log.Info.LogStart)
		t.log.note(b, want)
		t.take(b)
		return nil
	})
	t.log.followed(&follow, tail)
	return err
}

// take counts a batch and shows it to the readers.
func (t *tally) take(b *Batch) {
	t.pieces = t.pieces[:0]
	for i := range b.Pieces {
		p := b.Pieces[i]
		if p.Kind == Sound {
			t.sound(p, b.Visibility)
		} else {
			t.pieces = append(t.pieces, p)
		}
		if t.workers && p.Kind <= Unmatched { // its worker did write an unmatched one, whatever became of its input
			t.attribute(&p, b)
		}
	}
	b.Pieces, t.pieces = t.pieces, b.Pieces
	for _, r := range t.readers {
		r.Batch(b)
	}
}

// sound counts records whose input is known.
func (t *tally) sound(p Piece, visibility txns.Visibility) {
	switch visibility {
	case txns.Hidden:
		t.Hidden.AddRange(p.Partition, p.From, p.To())
	case txns.Aborted:
		t.Aborted.AddRange(p.Partition, p.From, p.To())
	case txns.Visible:
		t.visible(p)
		return
	}
	t.pieces = append(t.pieces, p)
}

func (t *tally) visible(p Piece) {
	if p.Count > 1 {
		if p.Fresh = t.Visible.Extend(p.Partition, p.From, p.To()); p.Fresh {
			t.pieces = append(t.pieces, p)
			return
		}
	}
	for i := range p.Count { // some of it may be there already: one by one
		one := Piece{Span: p.Span, At: p.At + i, Count: 1, Partition: p.Partition, From: p.From + uint64(i)}
		if one.Fresh = t.Visible.Add(one.key()); !one.Fresh {
			t.Repeated.Add(one.key())
		}
		t.pieces = append(t.pieces, one)
	}
}

// attribute counts a piece for the worker's incarnation and the transaction that wrote it.
func (t *tally) attribute(p *Piece, b *Batch) {
	first, n := &p.Span.First, uint64(p.Count)
	txn := uint64(0)
	if t.transactions {
		txn = first.Txn
	}
	if at := (txns.Key{Incarnation: txns.Of(first.Worker, first.Incarnation), Ordinal: txn}); !t.valid || at != t.key {
		t.key, t.valid = at, true
		if txn == 0 {
			t.by = txns.TallyOf(t.Incarnations, at.Incarnation, t.log.Number)
		} else {
			for v := range t.weight {
				t.weight[v] = txns.Weight(at, t.log.Number, txns.Visibility(v))
			}
		}
	}
	if txn == 0 {
		t.by.Add(b.Visibility, n)
		return
	}
	t.Sums.Take(t.key, n, t.weight[b.Decided])
	if b.Visibility != b.Decided { // shown to readers though it is not committed: it is looked into, however sure its end is
		t.Sums.Suspect(t.key.Incarnation, t.key.Ordinal)
	}
}
