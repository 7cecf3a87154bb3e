package checks

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/words"
)

var deliveredTwice = kit.Check{
	Name:    "delivered-twice",
	About:   "counts outputs that the live reader was given again, also where the final log has each once",
	Control: "every 50th poll of the live reader goes back to the start",
	Numbers: []harness.Number{
		{
			Key: "deliveredTwice", Header: "DELIVERED TWICE", Show: harness.WhenNonZero, Absent: harness.Null,
			Means: "Outputs that the live `read_committed` reader was given although it had been given one of the same input before, by cause:\n\n" +
				"- *another copy*: the log holds several copies (DUPLICATES counts those);\n" +
				"- *after a truncation*: the partition's log was cut off before, below what the reader had been given, so that it is handed what\n" +
				"  was written again, also where the final log holds it once;\n" +
				"- *a poll that went back*: the reader was given the same offsets again, and nothing recorded explains it.\n\n" +
				"Twice is twice, whatever explains it.",
			Unseen: "in runs of older versions, whose reader knew inputs by their places only, outputs of inputs at places that were cut off and\n" +
				"written again: a note counts those, or a doubt where there is nothing else.",
		},
		{Key: "deliveredTwiceBy", Kind: harness.ByCause, Of: "deliveredTwice"},
	},
	Begin: func(*rows.Subject) kit.Counting { return &twiceCount{} },
}

// The causes of a second delivery.
const (
	twiceByCut  = "after a truncation"
	twiceByBack = "a poll that went back"
	twiceByCopy = "another copy"
)

type twiceCount struct {
	live kit.PollCount
	by   map[string]uint64
	// reused are outputs of inputs whose place another input may have had before, by output partition; unsure counts deliveries
	// of those that may not have been second ones.
	reused map[int32]*keyset.Set
	unsure uint64
}

// Poll implements PollReader.
func (c *twiceCount) Poll(r *rows.Row, p *kit.Poll) {
	n := again(p)
	if n == 0 {
		return
	}
	if n > p.Below {
		unsure := min(n-p.Below, c.reusedIn(r, p.Log, p))
		c.unsure += unsure
		n -= unsure
	}
	cause := twiceByCopy
	switch {
	case p.Below >= n && p.Back:
		cause = twiceByBack
	case p.Rewound:
		cause = twiceByCut
	}
	if n > 0 {
		if c.by == nil {
			c.by = map[string]uint64{}
		}
		c.by[cause] += n
	}
	c.live.Add(r, p, n, func() string { return fmt.Sprintf("%d, %s", n, cause) })
}

// again is how many of a poll's records brought an input that was delivered before: those that the reader did not find new, less
// what the log does not hold and what names no input.
func again(p *kit.Poll) uint64 {
	known := p.Count
	if p.Compared {
		known -= p.Extra // gone ones may be copies
		known -= min(known, p.Log.Strange(p.From, p.To))
	}
	return max(p.Below, known-min(known, p.New))
}

// reusedIn is how many of a poll's records bring an input whose place in the input log may have held another one before: a reader
// that knows inputs by their places takes the second for the first.
func (c *twiceCount) reusedIn(r *rows.Row, log *logs.Partition, p *kit.Poll) uint64 {
	if r.Run.Live.Sequences || r.SourceUnderTest() || p.From < 0 || p.To <= p.From {
		return 0
	}
	if c.reused == nil {
		c.reused = map[int32]*keyset.Set{}
	}
	set := c.reused[log.Number]
	if set == nil {
		set = reusedPlaces(r, log)
		c.reused[log.Number] = set
	}
	return set.Count(0, uint64(p.From), uint64(p.To))
}

// reusedPlaces are the offsets of one output partition whose records name a place of the input that was cut off once.
func reusedPlaces(r *rows.Row, log *logs.Partition) *keyset.Set {
	set, from := keyset.New(), map[int32]int64{}
	for _, in := range r.In.Parts {
		if cut, ok := causes.CutsOf(r.Run, in).From(); ok {
			from[in.Number] = cut
		}
	}
	if len(from) == 0 {
		return set
	}
	err := r.Out.Each(log, func(*logs.Section) bool { return true }, func(b *logs.Batch) {
		for i := range b.Pieces {
			piece := &b.Pieces[i]
			for j := range piece.Count {
				rec := piece.Record(j)
				if cut, ok := from[rec.Origin.Partition]; ok && rec.Origin.Offset >= cut {
					set.Add(keyset.Key{Index: uint64(rec.Offset)})
				}
			}
		}
	})
	if err != nil { // what can't be read again may all be reused
		set.AddRange(0, 0, uint64(log.End))
	}
	return set
}

// Finish implements Counting.
func (c *twiceCount) Finish(f *kit.Facts, n *harness.Numbers) (found []kit.Finding) {
	if !f.Run.Live.Recorded {
		return nil
	}
	n.Set("deliveredTwice", c.live.N)
	const unsure = "%s further deliveries may be second ones: the reader knew inputs by their places, and the input log was cut off and written again there"
	switch {
	case c.live.N == 0 && c.unsure == 0:
		return nil
	case c.live.N == 0:
		return kit.Doubt(unsure, words.Number(c.unsure))
	case c.unsure > 0:
		found = kit.Note(unsure, words.Number(c.unsure))
	}
	n.Set("deliveredTwiceBy", c.by)
	return append(found, kit.Breaks(kit.NoDuplicates, "the live read_committed reader was given %s outputs again (%s), e.g. %s",
		words.Number(c.live.N), words.Counts(c.by), c.live.First)...)
}
