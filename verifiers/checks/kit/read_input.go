package kit

import (
	"fmt"

	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/saved"
)

// InputReads is what a row's workers were given of the input, compared with its final log, as Given is; and the first of each in
// words.
type InputReads struct {
	Extra, Skipped, Gone             uint64
	FirstExtra, FirstSkip, FirstGone string
}

// ReadInput compares what the row's workers were given with the input log.
func ReadInput(r *rows.Row) (in InputReads) {
	if r.SourceUnderTest() {
		return in
	}
	for _, w := range r.Workers {
		by := map[int32]*reading{}
		for i := range w.Taken() {
			t := &w.Taken()[i]
			p := inputOf(r, t.Partition)
			if p == nil {
				continue
			}
			x := by[t.Partition]
			if x == nil {
				x = readsInput(r, p)
				by[t.Partition] = x
			}
			in.add(r, w, p, t, x)
		}
	}
	return in
}

func inputOf(r *rows.Row, partition int32) *logs.Partition {
	if partition < 0 || int(partition) >= len(r.In.Parts) {
		return nil
	}
	return r.In.Parts[partition]
}

// readsInput is a worker's reading of an input partition, at its pipeline's isolation level.
func readsInput(r *rows.Row, p *logs.Partition) *reading {
	x := &reading{log: p, cuts: causes.CutsOf(r.Run, p), count: p.CountStored()}
	if r.Layout.ReadCommitted {
		x.count = p.CountCommitted()
	}
	return x
}

func (in *InputReads) add(r *rows.Row, w *saved.Worker, p *logs.Partition, t *saved.Taken, x *reading) {
	if t.Fresh || r.SharesRecords() {
		x.started, x.last, x.next = false, t.From, t.From
	}
	g := x.poll(t.At, t.From, t.To, t.Count)
	if r.SharesRecords() {
		g.Skipped = 0 // another member may have them
	}
	text := func() string {
		return fmt.Sprintf("%s/%d offsets %d to %d by %s from %s on", p.At.Topic, p.At.Partition, t.From, t.To-1, w.Name, r.Since(t.At))
	}
	if g.Extra > 0 && in.Extra == 0 {
		in.FirstExtra = text()
	}
	if g.Skipped > 0 && in.Skipped == 0 {
		in.FirstSkip = text()
	}
	if g.Gone > 0 && in.Gone == 0 {
		in.FirstGone = text()
	}
	in.Gone += g.Gone
	in.Extra += g.Extra
	in.Skipped += g.Skipped
}
