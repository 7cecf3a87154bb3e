package checks

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/words"
)

var pollSkips = kit.Check{
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
	Begin: func(*rows.Subject) kit.Counting { return &skipCount{} },
}

type skipCount struct{ live kit.PollCount }

// Poll implements PollReader.
func (c *skipCount) Poll(r *rows.Row, p *kit.Poll) {
	if p.Skipped > 0 {
		c.live.Add(r, p, p.Skipped, func() string { return fmt.Sprintf("%d before it or in it", p.Skipped) })
	}
}

// Finish implements Counting.
func (c *skipCount) Finish(f *kit.Facts, n *harness.Numbers) (found []kit.Finding) {
	if !f.Run.Live.Recorded {
		return nil
	}
	if c.live.N > 0 {
		found = kit.Breaks(kit.NoLoss, "%s polls of the live read_committed reader passed %s committed records that it was never given, e.g. %s",
			words.Number(c.live.Polls), words.Number(c.live.N), c.live.First)
	}
	w := kit.ReadInput(f.Row)
	if w.Skipped > 0 {
		found = append(found, kit.Breaks(kit.NoLoss, "workers' polls passed %s input records that they were not given, e.g. %s", words.Number(w.Skipped), w.FirstSkip)...)
	}
	n.Set("pollSkips", c.live.N+w.Skipped)
	return found
}
