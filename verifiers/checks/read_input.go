package checks

import (
	"fmt"

	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/saved"
)

// inputReads is what a row's workers were given of the input, compared with its final log.
type inputReads struct {
	extra, skipped, gone             uint64
	firstExtra, firstSkip, firstGone string
}

// readInput compares what the row's workers were given with the input log.
func readInput(r *rows.Row) (in inputReads) {
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

func (in *inputReads) add(r *rows.Row, w *saved.Worker, p *logs.Partition, t *saved.Taken, x *reading) {
	if t.Fresh || r.SharesRecords() {
		x.started, x.last, x.next = false, t.From, t.From
	}
	g := x.poll(t.At, t.From, t.To, t.Count)
	if r.SharesRecords() {
		g.skipped = 0 // another member may have them
	}
	text := func() string {
		return fmt.Sprintf("%s/%d offsets %d to %d by %s from %s on", p.At.Topic, p.At.Partition, t.From, t.To-1, w.Name, r.Since(t.At))
	}
	if g.extra > 0 && in.extra == 0 {
		in.firstExtra = text()
	}
	if g.skipped > 0 && in.skipped == 0 {
		in.firstSkip = text()
	}
	if g.gone > 0 && in.gone == 0 {
		in.firstGone = text()
	}
	in.gone += g.gone
	in.extra += g.extra
	in.skipped += g.skipped
}
