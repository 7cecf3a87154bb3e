package causes

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/saved"
)

// maxOvertaking bounds how many commits that went past lost inputs are kept.
const maxOvertaking = 1000

// overtaking are the commits that went past lost inputs: of each input the first that did, by the merged histories of all
// workers.
type overtaking struct {
	lost *keyset.Set
	// topics are how many output topics an input is due in, partitions how many partitions each has.
	topics, partitions int32
	frontier           map[int32]int64
	list               []harness.OvertakingCommit
	// dropped counts those that were not kept.
	dropped int
}

// overtakingCommits reads the workers' histories side by side in time order, one entry of each in memory.
func overtakingCommits(row *rows.Row) (*overtaking, error) {
	p := &overtaking{
		lost: row.Lost, topics: int32(len(row.Layout.Outputs())), partitions: int32(max(1, row.Run.Record.Plan.Partitions)), frontier: map[int32]int64{},
	}
	heads := make([]*head, 0, len(row.Workers))
	var failed error
	for _, w := range row.Workers {
		r, err := history.Open(filepath.Join(row.Run.Dir, w.File))
		if err != nil {
			failed = err
			break
		}
		h := &head{worker: w, in: r}
		defer h.in.Close() //nolint:errcheck // only read
		if h.next() {
			heads = append(heads, h)
		}
	}
	for failed == nil && len(heads) > 0 {
		first := slices.MinFunc(heads, func(a, b *head) int { return cmp.Compare(a.commit.At, b.commit.At) })
		p.take(first.worker, first.commit)
		if !first.next() {
			heads = slices.DeleteFunc(heads, func(h *head) bool { return h == first })
		}
	}
	return p, failed
}

// head is one history's next confirmed commit.
type head struct {
	worker *saved.Worker
	in     *history.Reader
	commit *history.Committed
}

func (h *head) next() bool {
	for e := h.in.Next(); e != nil; e = h.in.Next() {
		if c, ok := e.(*history.Committed); ok && c.Outcome == history.OutcomeConfirmed {
			h.commit = c
			return true
		}
	}
	return false
}

func (p *overtaking) take(w *saved.Worker, c *history.Committed) {
	for _, o := range c.Offsets {
		from := p.frontier[o.Partition]
		if o.Offset <= from {
			continue
		}
		p.frontier[o.Partition] = o.Offset
		n := p.lostIn(o.Partition, uint64(from), uint64(o.Offset))
		switch {
		case n == 0:
		case len(p.list) >= maxOvertaking:
			p.dropped++
		default:
			by := saved.IncarnationRef(w)
			p.list = append(p.list, harness.OvertakingCommit{From: from, Lost: n, CommitRef: harness.CommitRef{
				By: &by, Partition: o.Partition, Offset: o.Offset, At: c.At, Outcome: c.Outcome.String(), Txn: c.Txn,
			}})
		}
	}
}

// lostIn counts what is lost of a range of an input partition, in every topic.
func (p *overtaking) lostIn(partition int32, from, to uint64) (n uint64) {
	for t := range p.topics {
		n += p.lost.Count(t*p.partitions+partition, from, to)
	}
	return n
}

// of finds the commit that passed one lost input.
func (p *overtaking) of(k keyset.Key) *harness.CommitRef {
	for i := range p.list {
		if x := &p.list[i]; x.Partition == k.Partition%p.partitions && int64(k.Index) >= x.From && int64(k.Index) < x.Offset {
			return &x.CommitRef
		}
	}
	return nil
}
