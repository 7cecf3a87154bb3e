package logs

import (
	"runtime"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/together"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/saved"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// Output is what one pipeline's output topics hold. Keys are input partition and offset, or sequences where the source
// writes straight to it.
type Output struct {
	// Parts are the row's output partitions by number (harness.PipelineLayout.Place).
	Parts []*Partition
	// Visible are inputs with a visible copy, Repeated those with several.
	Visible, Repeated *keyset.Set
	// Hidden are inputs with a copy at or above the last stable offset, Aborted those with a copy that was aborted.
	Hidden, Aborted *keyset.Set
	// Incarnations counts records outside transactions by the worker that made them and the output partition; Sums are those
	// of records in transactions.
	Incarnations map[txns.Incarnation]map[int32]*txns.Tally
	Sums         *txns.Sums

	keysOf func(*Partition) keys
}

// Whole reports whether an output partition was read to its end, so that absence from it is proved. An input's outputs go
// to the partition of its own number.
func (o *Output) Whole(partition int32) bool {
	return int(partition) < len(o.Parts) && o.Parts[partition].Whole
}

func newOutput() *Output {
	return &Output{
		Visible: keyset.New(), Repeated: keyset.New(), Hidden: keyset.New(), Aborted: keyset.New(),
		Incarnations: map[txns.Incarnation]map[int32]*txns.Tally{}, Sums: txns.NewSums(),
	}
}

// ReadOutput streams one pipeline's output files once, and shows every batch to the readers too.
func ReadOutput(r *saved.Run, in *Input, layout harness.PipelineLayout, readers Readers) (*Output, error) {
	parts, err := openAll(r.OutputPartitions(layout), func(n int32) *Partition {
		topic, partition := layout.Place(n, r.Record.Plan.Partitions)
		p := open(r, ask.TopicPartition{Topic: topic, Partition: partition})
		p.Number, p.uncommitted = n, layout.ReadUncommittedOutput
		return p
	})
	if err != nil {
		return nil, err
	}
	keysOf := func(p *Partition) keys { return newKeys(r, in, layout, p) }
	tallies := make([]*tally, len(parts))
	for i, p := range parts {
		tallies[i] = newTally(p, keysOf(p), layout, readers(p))
	}
	err = together.AtMost(runtime.GOMAXPROCS(0), len(parts), func(i int) error { return tallies[i].read(r.Pieces.Section) })
	if err != nil {
		return nil, err
	}
	out := newOutput()
	out.keysOf = keysOf
	for _, t := range tallies {
		out.merge(t.Output)
	}
	return out, nil
}

// Each reads the sections of one of the output's partitions again that may hold something. Its pieces are not fresh.
func (o *Output) Each(p *Partition, may func(*Section) bool, show func(*Batch)) error {
	if p.Idle {
		return nil
	}
	b, k := Batch{}, o.keysOf(p)
	return p.readWhere(may, func(raw *observation.Batch) { show(p.batch(&b, k, raw)) })
}

// MayHold returns whether a section may hold a copy of one of these inputs.
func (o *Output) MayHold(p *Partition, among *keyset.Set) func(*Section) bool {
	k := o.keysOf(p)
	return func(x *Section) bool { return x.holdsAny(among, k) }
}

// batch is a batch of the partition with its pieces; b is used again.
func (p *Partition) batch(b *Batch, k keys, raw *observation.Batch) *Batch {
	b.Batch, b.Visibility, b.Decided, b.Pieces = raw, p.visibility(raw), p.decided(raw), b.Pieces[:0]
	if raw.Damaged {
		return b
	}
	for i := range raw.Spans {
		b.Pieces = k.split(b.Pieces, &raw.Spans[i])
	}
	return b
}

func (o *Output) merge(p *Output) {
	o.Parts = append(o.Parts, p.Parts...)
	o.Repeated.Union(p.Repeated)
	o.Repeated.Union(o.Visible.And(p.Visible))
	o.Visible.Union(p.Visible)
	o.Hidden.Union(p.Hidden)
	o.Aborted.Union(p.Aborted)
	txns.MergeTallies(o.Incarnations, p.Incarnations)
	o.Sums.Merge(p.Sums)
}
