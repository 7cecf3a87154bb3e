package checks

import (
	"fmt"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/words"
)

var pollsBack = kit.Check{
	Name:    "polls-back",
	About:   "counts polls of the live reader that went back",
	Control: "every 50th poll of the live reader goes back to the start",
	Numbers: []harness.Number{{
		Key: "pollsBack", Header: "POLLS BACK", Show: harness.WhenNonZero, Absent: harness.Null,
		Means: "Polls of the live `read_committed` reader whose first record lies below the end of its poll before in the same partition.\n" +
			"It never seeks, so only a log that was cut off explains that: a recorded truncation, or a notice that its client got of one. A poll\n" +
			"that was given records again breaks exactly-once and at-most-once, and in-order where it is claimed.",
		Unseen: "workers, which go back after every restart, rebalance and abort: the notes under the table name their rereads.",
	}},
	Begin: func(*rows.Subject) kit.Counting { return &backCount{} },
}

type backCount struct {
	live  kit.PollCount
	again uint64
}

// Poll implements PollReader.
func (c *backCount) Poll(r *rows.Row, p *kit.Poll) {
	if p.Back {
		c.live.Add(r, p, 1, func() string { return fmt.Sprintf("%d records again", p.Below) })
		c.again += p.Below
	}
}

// Finish implements Counting.
func (c *backCount) Finish(f *kit.Facts, n *harness.Numbers) []kit.Finding {
	if !f.Run.Live.Recorded {
		return nil
	}
	n.Set("pollsBack", c.live.N)
	if c.live.N == 0 {
		return nil
	}
	if c.again == 0 {
		return kit.Note("%s polls of the live reader went back, e.g. %s", words.Number(c.live.N), c.live.First)
	}
	return kit.Breaks(append(slices.Clone(kit.NoDuplicates), harness.InOrder), "%s polls of the live read_committed reader went back and were given %s records again, e.g. %s",
		words.Number(c.live.N), words.Number(c.again), c.live.First)
}
