package checks

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/words"
)

var dirtyReads = kit.Check{
	Name:    "dirty-reads",
	About:   "counts records that readers were given during the run and that the final log does not hold for them",
	Control: "every 50th poll of the live reader is given 7 records more",
	Numbers: []harness.Number{{
		Key: "dirtyReads", Header: "DIRTY READS", Show: harness.WhenNonZero, Absent: harness.Null,
		Means: "Records that the live `read_committed` reader (of the output) or a worker (of its input, at its own isolation level) was given\n" +
			"in a poll beyond those that the final log holds for it in the poll's range of offsets: aborted, or never committed. Polls of what\n" +
			"a recorded truncation or log start took away are not compared, nor those of a transaction whose end it took.",
		Unseen: "a poll with the right number of records where the log holds others.",
	}},
	Begin: func(*rows.Subject) kit.Counting { return &dirtyCount{} },
}

type dirtyCount struct{ live kit.PollCount }

// Poll implements PollReader.
func (c *dirtyCount) Poll(r *rows.Row, p *kit.Poll) {
	if p.Extra > 0 {
		c.live.Add(r, p, p.Extra, func() string { return p.Of(p.Extra) })
	}
}

// Finish implements Counting.
func (c *dirtyCount) Finish(f *kit.Facts, n *harness.Numbers) (found []kit.Finding) {
	if !f.Run.Live.Recorded {
		return nil
	}
	if c.live.N > 0 {
		found = kit.Breaks(kit.NoDuplicates, "the live read_committed reader was given %s records, in %s polls, that the log does not hold as committed, e.g. %s",
			words.Number(c.live.N), words.Number(c.live.Polls), c.live.First)
	}
	w := kit.ReadInput(f.Row)
	if w.Extra > 0 {
		found = append(found, kit.Breaks(kit.NoDuplicates, "workers were given %s input records that the log does not hold for them, e.g. %s", words.Number(w.Extra), w.FirstExtra)...)
	}
	n.Set("dirtyReads", c.live.N+w.Extra)
	return found
}
