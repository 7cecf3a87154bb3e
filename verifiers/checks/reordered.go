package checks

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/words"
)

var reordered = kit.Check{
	Name:    "reordered",
	About:   "counts, within one input and output partition, first copies that come after a later input's",
	Control: "an order inversion",
	Numbers: []harness.Number{
		{
			Key: "reordered", Header: "REORDERED", Show: harness.WhenNonZero,
			Means: "First outputs, within one input and one output partition, that come after the output of a later input. Kafka\n" +
				"promises this order to no consumer that writes; pipelines that declare that they keep it violate *in-order* by it.",
			Unseen: "order between partitions.",
		},
	},
	Begin: func(*rows.Subject) kit.Counting { return &reorderedCount{} },
}

type reorderedCount struct{ in []*inversions }

// Output implements OutputReader.
func (c *reorderedCount) Output(*logs.Partition) logs.Reader {
	r := &inversions{next: map[int32]uint64{}}
	c.in = append(c.in, r)
	return r
}

// inversions counts those of one output partition. Next is, by partition, one above the highest input that came first so far.
type inversions struct {
	next map[int32]uint64
	n    uint64
}

// Batch implements logs.Reader.
func (v *inversions) Batch(b *logs.Batch) {
	for i := range b.Pieces {
		p := &b.Pieces[i]
		switch {
		case !p.Fresh:
		case p.From < v.next[p.Partition]:
			v.n += uint64(p.Count)
		default:
			v.next[p.Partition] = p.To()
		}
	}
}

// Finish implements Counting.
func (c *reorderedCount) Finish(f *kit.Facts, n *harness.Numbers) []kit.Finding {
	var all uint64
	for _, v := range c.in {
		all += v.n
	}
	n.Set("reordered", all)
	if all == 0 || !f.Layout.KeepsInputOrder {
		return nil
	}
	return kit.Breaks(kit.OnlyOrder, "%s outputs come after the output of a later input", words.Number(all))
}
