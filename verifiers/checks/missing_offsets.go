package checks

import (
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/txns"
	"github.com/chaeos/chaeos/verifiers/words"
)

var missingOffsets = kit.Check{
	Name:    "missing-offsets",
	About:   "counts offsets that a log leaves out, and asks whether records were there: acknowledged, or given to a reader or a worker",
	Control: "a batch taken out of the input",
	Numbers: []harness.Number{
		{
			Key: "missingOffsets", Header: "MISSING OFFSETS", Show: harness.WhenNonZero,
			Means: "Offsets of the row's output and input that hold nothing, although the log goes on after them. A log begins at its start and\n" +
				"leaves none out: no topic of a run is compacted. They make a row inconclusive, and prove a loss where a record there was\n" +
				"acknowledged, or given to the live reader or a worker, and no visible output names it.",
			Unseen: "offsets at the end of a log: those are truncations.",
		},
	},
	Begin: func(*rows.Subject) kit.Counting { return &missingCount{} },
}

// missingCount keeps the input offsets that outputs name and that the input log doesn't hold.
type missingCount struct{ named []*namedOrigins }

// Output implements OutputReader.
func (c *missingCount) Output(*logs.Partition) logs.Reader {
	r := &namedOrigins{keyset.New()}
	c.named = append(c.named, r)
	return r
}

type namedOrigins struct{ offsets *keyset.Set }

// Batch implements logs.Reader.
func (o *namedOrigins) Batch(b *logs.Batch) {
	if b.Visibility != txns.Visible {
		return
	}
	for i := range b.Pieces {
		if p := &b.Pieces[i]; p.Kind == logs.Unmatched {
			for j := range p.Count {
				if r := p.Record(j); r.Origin.Offset >= 0 {
					o.offsets.Add(keyset.Key{Partition: r.Partition, Index: uint64(r.Origin.Offset)})
				}
			}
		}
	}
}

// Finish implements Counting.
func (c *missingCount) Finish(f *kit.Facts, n *harness.Numbers) []kit.Finding {
	named := keyset.New()
	for _, o := range c.named {
		named.Union(o.offsets)
	}
	var found []kit.Finding
	all := uint64(0)
	for _, p := range f.Inputs(f.In) {
		all += p.Missing
		found = append(found, missingFrom(f, p, named)...)
	}
	for _, p := range f.Out.Parts {
		all += p.Missing
		found = append(found, missingFrom(f, p, nil)...)
	}
	n.Set("missingOffsets", all)
	return found
}

// missingFrom is what the holes of one log prove; named are the input offsets that outputs name, nil for an output.
func missingFrom(f *kit.Facts, p *logs.Partition, named *keyset.Set) []kit.Finding {
	holes := slices.Clone(p.Holes)
	if d := causes.DeletionOf(f.Run, p); d != nil && d.Fault == "" {
		holes = append(holes, logs.Hole{From: 0, To: d.LogStart})
	}
	if len(holes) == 0 {
		return nil
	}
	var found []kit.Finding
	if p.Missing > 0 {
		found = kit.Doubt("%s/%d: %s offsets are missing though the log goes on after them, first %d to %d",
			p.At.Topic, p.At.Partition, words.Number(p.Missing), p.Holes[0].From, p.Holes[0].To-1)
	}
	were := &wereThere{partition: p.At.Partition, empty: keyset.New(), proved: keyset.New()}
	for _, h := range holes {
		were.empty.AddRange(p.At.Partition, uint64(h.From), uint64(h.To))
	}
	if named != nil {
		were.empty = were.empty.Minus(named)
	}
	if err := were.ask(f, p, named != nil); err != nil {
		return append(found, kit.NotRun("missing-offsets", "%v", err))
	}
	if lost := were.proved.Len(); lost > 0 {
		found = append(found, kit.Breaks(kit.NoLoss, "%s/%d: %s records at offsets that are now missing were acknowledged or delivered, e.g. offset %d",
			p.At.Topic, p.At.Partition, words.Number(lost), were.proved.First(1)[0].Index)...)
	}
	return found
}

// wereThere asks the histories what was at the offsets of one partition that are empty now.
type wereThere struct {
	partition     int32
	empty, proved *keyset.Set
}

// ask reads the histories that can know. It is done only where offsets are missing.
func (w *wereThere) ask(f *kit.Facts, p *logs.Partition, input bool) error {
	if input || f.SourceUnderTest() {
		for _, file := range f.Source.Files {
			if err := f.Run.EachEntry(file, w.acked); err != nil {
				return err
			}
		}
	}
	if !input {
		return f.Run.EachPoll(func(s *history.DeliveredLive) {
			if s.Topic == p.At.Topic && s.Partition == w.partition {
				w.delivered(s.From, s.To, s.Count)
			}
		})
	}
	for _, worker := range f.Workers {
		err := f.Run.EachEntry(worker.File, func(e history.Entry) {
			if s, is := e.(*history.Polled); is && s.Partition == w.partition {
				w.delivered(s.From, s.To, s.Count)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *wereThere) acked(e history.Entry) {
	a, is := e.(*history.Acked)
	if !is {
		return
	}
	for i := range a.Spans {
		if r := &a.Spans[i]; r.Partition == w.partition && r.Offset >= 0 {
			w.delivered(r.Offset, r.Offset+int64(r.Count), r.Count)
		}
	}
}

// delivered takes a number of records that came from a range of offsets: what doesn't fit into the rest of the range was at
// the offsets that are empty.
func (w *wereThere) delivered(from, to int64, count uint64) {
	if from < 0 || from >= to || !w.empty.HasAny(w.partition, uint64(from), uint64(to)) {
		return
	}
	here := keyset.New()
	here.AddRange(w.partition, uint64(from), uint64(to))
	here = here.And(w.empty)
	if rest := uint64(to-from) - here.Len(); count > rest {
		for _, k := range here.First(int(min(count-rest, here.Len()))) {
			w.proved.Add(k)
		}
	}
}
