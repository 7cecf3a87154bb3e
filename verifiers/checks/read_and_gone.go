package checks

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/words"
)

var readAndGone = Check{
	Name:    "read-and-gone",
	About:   "counts records that readers were given at offsets at which the final log holds nothing",
	Control: "a hole in the output that the live reader was given",
	Numbers: []harness.Number{{
		Key: "readAndGone", Header: "READ AND GONE", Show: harness.WhenNonZero, Absent: harness.Null,
		Means: "Records that the live `read_committed` reader was given at offsets of the output at which the final log holds neither records\n" +
			"nor markers, and no recorded truncation or log start says why: the log lost what it had given out. What workers were given of\n" +
			"the input and is gone there is a note, for the input's promise is the source's.",
		Unseen: "what was replaced by other records.",
	}},
	Begin: func(*rows.Subject) Counting { return &goneCount{} },
}

type goneCount struct{ live pollCount }

// Poll implements PollReader.
func (c *goneCount) Poll(r *rows.Row, p *Poll) {
	if p.gone > 0 {
		c.live.add(r, p, p.gone, func() string { return p.of(p.gone) })
	}
}

// Finish implements Counting.
func (c *goneCount) Finish(f *Facts, n *harness.Numbers) (found []Finding) {
	if !f.Run.Live.Recorded {
		return nil
	}
	n.Set("readAndGone", c.live.n)
	if c.live.n > 0 {
		found = breaks(noLoss, "the live read_committed reader was given %s records that the log holds no more, in %s polls, e.g. %s",
			words.Number(c.live.n), words.Number(c.live.polls), c.live.first)
	}
	if w := readInput(f.Row); w.gone > 0 {
		found = append(found, note("workers were given %s input records that the input log holds no more, e.g. %s", words.Number(w.gone), w.firstGone)...)
	}
	return found
}
