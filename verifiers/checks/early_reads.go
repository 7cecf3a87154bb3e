package checks

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/compact"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/txns"
	"github.com/chaeos/chaeos/verifiers/words"
)

var earlyReads = kit.Check{
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
	Begin: func(s *rows.Subject) kit.Counting {
		if !s.OutputsInTransactions() {
			return nil
		}
		return &earlyCount{subject: s, of: map[*logs.Partition]*commitsAsked{}}
	},
}

type earlyCount struct {
	subject *rows.Subject
	live    kit.PollCount
	of      map[*logs.Partition]*commitsAsked
}

// Output implements OutputReader.
func (c *earlyCount) Output(p *logs.Partition) logs.Reader {
	a := &commitsAsked{subject: c.subject}
	a.polled = a.at.Seeker()
	c.of[p] = a
	return a
}

// commitsAsked says of each offset of one partition when the transaction that wrote it was asked to commit: the time stands at
// the transaction's first offset there, and 0 where no transaction is known, or no time.
type commitsAsked struct {
	subject *rows.Subject
	last    txns.Key
	at      compact.Table
	polled  compact.Seeker
}

// Batch implements logs.Reader.
func (a *commitsAsked) Batch(b *logs.Batch) {
	if b.Damaged || b.Decided != txns.Visible {
		return
	}
	for i := range b.Spans {
		first := &b.Spans[i].First
		key := txns.Key{Incarnation: txns.Of(first.Worker, first.Incarnation), Ordinal: first.Txn}
		if key == a.last && a.at.Len() > 0 {
			continue
		}
		a.last = key
		a.at.Add(compact.Entry{Key: uint64(first.Offset), Value: int64(a.asked(key))})
	}
}

func (a *commitsAsked) asked(key txns.Key) (at history.Time) {
	if key.Ordinal == 0 {
		return 0
	}
	if w := a.subject.Worker(key.Incarnation); w != nil {
		at, _ = w.AskedToCommit(key.Ordinal)
	}
	return at
}

// from is a cursor at the transaction at an offset, or at the first.
func (a *commitsAsked) from(offset int64) (compact.Cursor, bool) {
	if a.polled.To(uint64(max(0, offset))) {
		return a.polled.Cursor, true
	}
	return a.at.First()
}

// Poll implements PollReader.
func (c *earlyCount) Poll(r *rows.Row, p *kit.Poll) {
	a := c.of[p.Log]
	if !p.Compared || a == nil {
		return
	}
	for at, ok := a.from(p.From); ok && at.Entry().Key < uint64(p.To); {
		txn, to := at.Entry(), p.To
		if ok = at.Next(); ok {
			to = min(to, int64(at.Entry().Key))
		}
		asked := history.Time(txn.Value)
		if p.At >= asked {
			continue
		}
		early := p.Log.Committed(max(int64(txn.Key), p.From), to)
		c.live.Add(r, p, early, func() string {
			return fmt.Sprintf("%d of a transaction that was asked to commit %s later", early, asked.Sub(p.At))
		})
	}
}

// Finish implements Counting.
func (c *earlyCount) Finish(f *kit.Facts, n *harness.Numbers) []kit.Finding {
	if !f.Run.Live.Recorded {
		return nil
	}
	n.Set("earlyReads", c.live.N)
	if c.live.N == 0 {
		return nil
	}
	return kit.Breaks(kit.NoDuplicates, "the live read_committed reader was given %s records, in %s polls, before their transaction was asked to commit, e.g. %s",
		words.Number(c.live.N), words.Number(c.live.Polls), c.live.First)
}
