package checks

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/words"
)

var dirtyReads = Check{
	Name:    "dirty-reads",
	About:   "counts records that readers were given during the run and that the final log does not hold for them",
	Control: "every 50th poll of the live reader is given 7 records more",
	Numbers: []harness.Number{{
		Key: "dirtyReads", Header: "DIRTY READS", Show: harness.WhenNonZero, Absent: harness.Null,
		Means: "Records that the live `read_committed` reader (of the output) or a worker (of its input, at its own isolation level) was given\n" +
			"in a poll beyond those that the final log holds for it in the poll's range of offsets: aborted, or never committed. Polls of what\n" +
			"a recorded truncation or log start took away are not compared.",
		Unseen: "a poll with the right number of records where the log holds others.",
	}},
	Begin: func(*rows.Subject) Counting { return &dirtyCount{} },
}

type dirtyCount struct{ live pollCount }

// Poll implements PollReader.
func (c *dirtyCount) Poll(r *rows.Row, p *Poll) {
	if p.extra > 0 {
		c.live.add(r, p, p.extra, func() string { return p.of(p.extra) })
	}
}

// Finish implements Counting.
func (c *dirtyCount) Finish(f *Facts, n *harness.Numbers) (found []Finding) {
	if !f.Run.Live.Recorded {
		return nil
	}
	if c.live.n > 0 {
		found = breaks(noDuplicates, "the live read_committed reader was given %s records, in %s polls, that the log does not hold as committed, e.g. %s",
			words.Number(c.live.n), words.Number(c.live.polls), c.live.first)
	}
	w := readInput(f.Row)
	if w.extra > 0 {
		found = append(found, breaks(noDuplicates, "workers were given %s input records that the log does not hold for them, e.g. %s", words.Number(w.extra), w.firstExtra)...)
	}
	n.Set("dirtyReads", c.live.n+w.extra)
	return found
}
