package checks

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/txns"
	"github.com/chaeos/chaeos/verifiers/words"
)

var corrupt = kit.Check{
	Name:    "corrupt",
	About:   "counts records whose value fails its own CRC-32C, and records of batches that fail theirs",
	Control: "a damaged batch",
	Numbers: []harness.Number{
		{
			Key: "corrupt", Header: "CORRUPT", Show: harness.WhenNonZero,
			Means:  "Output records whose own CRC-32C is wrong, or whose batch's is.",
			Unseen: "whose they were.",
		},
	},
	Begin: func(*rows.Subject) kit.Counting { return &corruptCount{} },
}

type corruptCount struct{ out, in []*kinds }

// Output implements OutputReader.
func (c *corruptCount) Output(*logs.Partition) logs.Reader { return newKinds(&c.out) }

// Input implements InputReader.
func (c *corruptCount) Input(*logs.Partition) logs.Reader { return newKinds(&c.in) }

// Finish implements Counting.
func (c *corruptCount) Finish(_ *kit.Facts, n *harness.Numbers) []kit.Finding {
	out, in := total(c.out), total(c.in)
	n.Set("corrupt", out.corrupt)
	var found []kit.Finding
	if out.corrupt > 0 {
		found = kit.Doubt("%s output records are corrupt: which inputs they were can't be known", words.Number(out.corrupt))
	}
	if in.corrupt > 0 {
		found = append(found, kit.Doubt("%s input records are corrupt", words.Number(in.corrupt))...)
	}
	return found
}

// kinds counts the strange records of a partition: corrupt ones, and those among what readers see that are foreign. In all are the foreign ones that readers don't see too.
type kinds struct{ corrupt, foreign, foreignInAll uint64 }

func newKinds(of *[]*kinds) *kinds {
	k := &kinds{}
	*of = append(*of, k)
	return k
}

// Batch implements logs.Reader.
func (k *kinds) Batch(b *logs.Batch) {
	if b.Damaged {
		k.corrupt += damaged(b)
	}
	for i := range b.Pieces {
		p := &b.Pieces[i]
		n := uint64(p.Count)
		switch {
		case p.Kind == logs.Corrupt:
			k.corrupt += n
		case p.Kind == logs.Foreign:
			k.foreignInAll += n
			if b.Visibility == txns.Visible {
				k.foreign += n
			}
		}
	}
}

// damaged is how many records a damaged batch held. A header that is damaged too may announce none: then it is as many as the
// offsets that it covers.
func damaged(b *logs.Batch) uint64 {
	if b.Count > 0 {
		return uint64(b.Count)
	}
	return uint64(max(1, b.Last-b.First+1))
}

func total(of []*kinds) (sum kinds) {
	for _, k := range of {
		sum.corrupt += k.corrupt
		sum.foreign += k.foreign
		sum.foreignInAll += k.foreignInAll
	}
	return sum
}
