package checks

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/words"
)

var pollSkips = Check{
	Name:    "poll-skips",
	About:   "counts committed records that readers' polls passed without being given them",
	Control: "19 polls of the live reader in a row skipped",
	Numbers: []harness.Number{{
		Key: "pollSkips", Header: "POLL SKIPS", Show: harness.WhenNonZero, Absent: harness.Null,
		Means: "Records that the final log holds as committed, in the range of a poll or between what was given before and its first record,\n" +
			"and that the live `read_committed` reader was not given; and the same of workers on their input, within one assignment and\n" +
			"while they read forwards. What a recorded truncation or log start explains does not count.",
		Unseen: "records after a reader's last poll (NOT DELIVERED LIVE counts those), and a share group's records, which others may have.",
	}},
	Begin: func(*rows.Subject) Counting { return &skipCount{} },
}

type skipCount struct{ live pollCount }

// Poll implements PollReader.
func (c *skipCount) Poll(r *rows.Row, p *Poll) {
	if p.skipped > 0 {
		c.live.add(r, p, p.skipped, func() string { return fmt.Sprintf("%d before it or in it", p.skipped) })
	}
}

// Finish implements Counting.
func (c *skipCount) Finish(f *Facts, n *harness.Numbers) (found []Finding) {
	if !f.Run.Live.Recorded {
		return nil
	}
	if c.live.n > 0 {
		found = breaks(noLoss, "%s polls of the live read_committed reader passed %s committed records that it was never given, e.g. %s",
			words.Number(c.live.polls), words.Number(c.live.n), c.live.first)
	}
	w := readInput(f.Row)
	if w.skipped > 0 {
		found = append(found, breaks(noLoss, "workers' polls passed %s input records that they were not given, e.g. %s", words.Number(w.skipped), w.firstSkip)...)
	}
	n.Set("pollSkips", c.live.n+w.skipped)
	return found
}
