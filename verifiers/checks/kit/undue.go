package kit

import (
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// Undue are the outputs that the live reader counted as new inputs and that the row did not owe: records of a source under test
// whose outcome was never learnt, or whose input is not in the input log.
type Undue struct {
	row *rows.Subject
	by  map[int32]*undueOf
}

// NewUndue begins to count them in one row.
func NewUndue(row *rows.Subject) *Undue { return &Undue{row, map[int32]*undueOf{}} }

// undueOf are those of one output partition: their offsets, and their keys without repetition.
type undueOf struct {
	row           *rows.Subject
	offsets, keys *keyset.Set
	// delivered are all offsets that the live reader was given, where any reports that they matter.
	delivered *keyset.Set
	any       bool
}

// Output implements OutputReader.
func (u *Undue) Output(p *logs.Partition) logs.Reader {
	of := &undueOf{row: u.row, offsets: keyset.New(), keys: keyset.New(), delivered: keyset.New()}
	u.by[p.Number] = of
	return of
}

// Batch implements logs.Reader.
func (u *undueOf) Batch(b *logs.Batch) {
	if b.Decided != txns.Visible {
		return
	}
	for i := range b.Pieces {
		p := &b.Pieces[i]
		switch {
		case p.Kind == logs.Unmatched:
			at := p.Record(0)
			u.any = true
			u.offsets.Add(keyset.Key{Index: uint64(at.Offset)})
			u.keys.Add(keyset.Key{Partition: p.Partition, Index: uint64(at.Origin.Offset)})
		case p.Kind == logs.Sound && u.row.SourceUnderTest() && !u.owed(p):
			for j := range p.Count {
				u.add(p, j)
			}
		}
	}
}

func (u *undueOf) owed(p *logs.Piece) bool {
	return u.row.Source.Acked.HasRange(p.Partition, p.From, p.To())
}

func (u *undueOf) add(p *logs.Piece, i int64) {
	key := keyset.Key{Partition: p.Partition, Index: p.From + uint64(i)}
	if !u.row.Source.Acked.Has(key) && !u.row.Source.Sent.Has(key) {
		u.any = true
		u.offsets.Add(keyset.Key{Index: uint64(p.Record(i).Offset)})
		u.keys.Add(key)
	}
}

// Poll implements PollReader.
func (u *Undue) Poll(_ *rows.Row, p *Poll) {
	if of := u.by[p.Log.Number]; of.any && p.From >= 0 && p.From < p.To {
		of.delivered.AddRange(0, uint64(p.From), uint64(min(p.To, p.Log.End)))
	}
}

// Delivered is how many of their inputs the live reader was given.
func (u *Undue) Delivered() (n uint64) {
	for _, of := range u.by {
		n += min(of.keys.Len(), of.offsets.And(of.delivered).Len())
	}
	return n
}
