package kit

import (
	"fmt"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/rows"
)

// reading follows what one reader was given of one partition, poll by poll, and compares it with the final log.
type reading struct {
	log  *logs.Partition
	cuts causes.Cuts
	// count is how many records the final log holds for the reader in a range of offsets.
	count func(from, to int64) uint64
	// last is the end of the poll before, and lastAt its time; next is the end of everything that was given.
	last, next int64
	lastAt     history.Time
	started    bool
	// rewound reports whether a cut made the reader begin again below where it was.
	rewound bool
}

// Given is what one poll says, compared with the final log.
type Given struct {
	// Back reports whether it begins below the end of the poll before, and no cut explains that. Below are the records that
	// were given before.
	Back  bool
	Below uint64
	// Skipped are records of the log between what was given before and this poll, or in its range, that were not given.
	// Gone are those given where the log holds nothing any more, Extra those given beyond what the log holds for the reader.
	Skipped, Gone, Extra uint64
	// Compared reports whether its range can be compared with the final log; CutOff whether part of it was cut off since.
	Compared, CutOff bool
}

func readsCommitted(r *rows.Row, p *logs.Partition) *reading {
	return &reading{log: p, cuts: causes.CutsOf(r.Run, p), count: p.CountCommitted(), next: p.Info.LogStart}
}

// poll compares a poll of n records in [from, to).
func (x *reading) poll(at history.Time, from, to int64, n uint64) (g Given) {
	if !x.log.Whole || to <= from || n == 0 {
		return g // the log's own doubt says why
	}
	g.CutOff = x.cuts.Over(at, to)
	excused := x.cuts.Before(x.lastAt, from)
	switch {
	case x.started && from < x.last && !excused:
		g.Back, g.Below = true, x.count(from, min(to, x.next))
	case x.started && from < x.last:
		x.next, x.rewound = from, true
	case from > x.next && !x.cuts.Before(x.lastAt, from) && x.log.Known(x.next, from):
		g.Skipped = x.count(x.next, from)
	}
	g.Compared = !g.CutOff && from >= x.log.Info.LogStart && x.log.Known(from, to)
	if g.Compared {
		held := x.count(from, to)
		g.Extra = n - min(n, held)
		if end, aborted := x.log.LastAbort(from, to); g.Extra > 0 && aborted && x.cuts.Over(at, end+1) {
			// What ended the transactions then was cut off with all that followed, and what the log says of them now came later.
			g.Compared, g.CutOff, g.Extra = false, true, 0
		}
		g.Gone = min(g.Extra, x.log.Empty(from, to))
		g.Extra -= g.Gone
		g.Skipped += held - min(n, held)
	}
	x.started, x.last, x.lastAt = true, to, at
	x.next = max(x.next, to)
	return g
}

// Poll is one poll of the live reader, compared with the final log.
type Poll struct {
	*history.DeliveredLive
	Given
	Log *logs.Partition
	// Rewound reports whether a cut made the reader of the partition begin again below where it was, then or before.
	Rewound bool
}

// liveReadings follow the live reader through a row's output partitions, by their numbers.
type liveReadings []*reading

// poll compares a poll, and reports whether it is of the row's output.
func (l liveReadings) poll(r *rows.Row, p *history.DeliveredLive, to *Poll) bool {
	log := r.OutputOf(p.Topic, p.Partition)
	if log == nil {
		return false
	}
	x := l[log.Number]
	if x == nil {
		x = readsCommitted(r, log)
		l[log.Number] = x
	}
	g := x.poll(p.At, p.From, p.To, p.Count)
	*to = Poll{p, g, x.log, x.rewound}
	return true
}

// PollCount counts what a check looks for in polls of the live reader.
type PollCount struct {
	// N counts it, and Polls the polls that it is in; First is the first of it in words.
	N, Polls uint64
	First    string
}

// Add counts n of what is looked for in one poll.
func (c *PollCount) Add(r *rows.Row, p *Poll, n uint64, text func() string) {
	if n == 0 {
		return
	}
	if c.N == 0 {
		c.First = fmt.Sprintf("%s/%d offsets %d to %d at %s: %s", p.Topic, p.Partition, p.From, p.To-1, r.Since(p.At), text())
	}
	c.N += n
	c.Polls++
}

// Of puts a part of a poll's records in words.
func (p *Poll) Of(n uint64) string { return fmt.Sprintf("%d of %d", n, p.Count) }
