package checks

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/words"
)

var earlyReads = Check{
	Name:    "early-reads",
	About:   "counts records that the live reader was given before their worker asked to commit their transaction",
	Control: "every delivery of a transactional row two seconds earlier",
	Numbers: []harness.Number{{
		Key: "earlyReads", Header: "EARLY READS", Show: harness.WhenNonZero, Absent: harness.Null,
		Means: "Records that the live `read_committed` reader was given before the worker that wrote them asked to commit their transaction.\n" +
			"Both times are of one machine's monotonic clock; the worker writes its down\n" +
			"before it asks, the reader after it was given. Polls of what a recorded truncation took away are not compared.",
		Unseen: "half of a transaction at once: brokers hand out a part of it in any fetch, so only a part that came before the commit was asked\n" +
			"for is proof. A commit that its worker did not write down.",
	}},
	Begin: inTransactions(func() Counting { return &earlyCount{} }),
}

type earlyCount struct{ live pollCount }

// Poll implements PollReader.
func (c *earlyCount) Poll(r *rows.Row, p *Poll) {
	if !p.compared {
		return
	}
	for _, s := range p.log.TxnsIn(p.From, p.To) {
		if early := beforeAsked(r, &s, p); early > 0 {
			c.live.add(r, p, early, func() string {
				return fmt.Sprintf("%d of transaction %d of %s", early, s.Ordinal, r.IncarnationRef(s.Incarnation).Name)
			})
		}
	}
}

// beforeAsked is how many of a transaction's records a poll was given before the transaction was asked to commit.
func beforeAsked(r *rows.Row, s *logs.TxnSpan, p *Poll) uint64 {
	w := r.Worker(s.Incarnation)
	if w == nil {
		return 0
	}
	if asked, ok := w.AskedToCommit(s.Ordinal); !ok || p.At >= asked {
		return 0
	}
	return p.log.Committed(max(s.From, p.From), min(s.To, p.To))
}

// Finish implements Counting.
func (c *earlyCount) Finish(f *Facts, n *harness.Numbers) []Finding {
	if !f.Run.Live.Recorded {
		return nil
	}
	n.Set("earlyReads", c.live.n)
	if c.live.n == 0 {
		return nil
	}
	return breaks(noDuplicates, "the live read_committed reader was given %s records, in %s polls, before their transaction was asked to commit, e.g. %s",
		words.Number(c.live.n), words.Number(c.live.polls), c.live.first)
}
