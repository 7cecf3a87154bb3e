package checks

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/words"
)

var deliveredTwice = Check{
	Name:    "delivered-twice",
	About:   "counts outputs that the live reader was given again, also where the final log has each once",
	Control: "every 50th poll of the live reader goes back to the start",
	Numbers: []harness.Number{
		{
			Key: "deliveredTwice", Header: "DELIVERED TWICE", Show: harness.WhenNonZero, Absent: harness.Null,
			Means: "Outputs that the live `read_committed` reader was given although it had been given one of the same input before. Copies that\n" +
				"the log holds count (DUPLICATES), and so do those that it holds once: a log that was cut off and written again hands its\n" +
				"readers what they had, and *after a truncation* counts those. Twice is twice, whatever explains it.",
			Unseen: "in runs whose reader did not compare sequences, a record in an input log that was cut off and reused is taken for the one that\n" +
				"had its offset before: there the number is a doubt and no proof.",
		},
		{Key: "deliveredTwiceBy", Kind: harness.ByCause, Of: "deliveredTwice"},
	},
	Begin: func(*rows.Subject) Counting { return &twiceCount{} },
}

// The causes of a second delivery.
const (
	twiceByCut  = "after a truncation"
	twiceByBack = "a poll that went back"
	twiceByCopy = "another copy"
)

type twiceCount struct {
	live liveReadings
	by   map[string]uint64
}

// Poll implements PollReader.
func (c *twiceCount) Poll(r *rows.Row, p *history.Seen) {
	g, log := c.live.poll(r, p)
	if log == nil {
		return
	}
	n := again(&g, log, p)
	cause := twiceByCopy
	switch {
	case g.below >= n && g.back:
		cause = twiceByBack
	case c.live.rewound(log):
		cause = twiceByCut
	}
	if n > 0 {
		if c.by == nil {
			c.by = map[string]uint64{}
		}
		c.by[cause] += n
	}
	c.live.add(r, p, n, ": %d, %s", n, cause)
}

// again is how many of a poll's records brought an input that was delivered before: those that the reader did not find new, less
// what the log does not hold and what names no input.
func again(g *given, log *logs.Partition, p *history.Seen) uint64 {
	known := p.Count
	if g.compared {
		known -= g.extra // gone ones may be copies
		known -= min(known, log.Strange(p.From, p.To))
	}
	return max(g.below, known-min(known, p.New))
}

// Finish implements Counting.
func (c *twiceCount) Finish(f *Facts, n *harness.Numbers) []Finding {
	if !f.Run.Live.Recorded {
		return nil
	}
	n.Set("deliveredTwice", c.live.n)
	if c.live.n == 0 {
		return nil
	}
	n.Set("deliveredTwiceBy", c.by)
	return breaks(noDuplicates, "the live read_committed reader was given %s outputs again (%s), e.g. %s",
		words.Number(c.live.n), words.Counts(c.by), c.live.first)
}
