package checks

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
	// rewound says that a cut made the reader begin again below where it was.
	rewound bool
}

// given is what one poll says, compared with the final log.
type given struct {
	// back says that it begins below the end of the poll before, and no cut explains that. Below are the records that were
	// given before.
	back  bool
	below uint64
	// skipped are records of the log between what was given before and this poll, or in its range, that were not given.
	// Gone are those given where the log holds nothing any more, extra those given beyond what the log holds for the reader.
	skipped, gone, extra uint64
	// compared says that its range can be compared with the final log; cutOff that part of it was cut off since.
	compared, cutOff bool
}

func readsCommitted(r *rows.Row, p *logs.Partition) *reading {
	return &reading{log: p, cuts: causes.CutsOf(r.Run, p), count: p.CountCommitted(), next: p.Info.LogStart}
}

// poll compares a poll of n records in [from, to).
func (x *reading) poll(at history.Time, from, to int64, n uint64) (g given) {
	if !x.log.Whole || to <= from || n == 0 {
		return g // the log's own doubt says why
	}
	g.cutOff = x.cuts.Over(at, to)
	excused := x.cuts.Before(x.lastAt, from)
	switch {
	case x.started && from < x.last && !excused:
		g.back, g.below = true, x.count(from, min(to, x.next))
	case x.started && from < x.last:
		x.next, x.rewound = from, true
	case from > x.next && !x.cuts.Before(x.lastAt, from) && x.log.Known(x.next, from):
		g.skipped = x.count(x.next, from)
	}
	g.compared = !g.cutOff && from >= x.log.Info.LogStart && x.log.Known(from, to)
	if g.compared {
		held := x.count(from, to)
		g.extra = n - min(n, held)
		g.gone = min(g.extra, x.log.Empty(from, to))
		g.extra -= g.gone
		g.skipped += held - min(n, held)
	}
	x.started, x.last, x.lastAt = true, to, at
	x.next = max(x.next, to)
	return g
}

// Poll is one poll of the live reader, compared with the final log.
type Poll struct {
	*history.DeliveredLive
	given
	log *logs.Partition
	// rewound says that a cut made the reader of the partition begin again below where it was, then or before.
	rewound bool
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

// pollCount counts what a check looks for in polls of the live reader.
type pollCount struct {
	// n counts it, in so many polls; first is the first of it in words.
	n, polls uint64
	first    string
}

// add counts n of what is looked for in one poll.
func (c *pollCount) add(r *rows.Row, p *Poll, n uint64, text func() string) {
	if n == 0 {
		return
	}
	if c.n == 0 {
		c.first = fmt.Sprintf("%s/%d offsets %d to %d at %s: %s", p.Topic, p.Partition, p.From, p.To-1, r.Since(p.At), text())
	}
	c.n += n
	c.polls++
}

// of puts a part of a poll's records in words.
func (p *Poll) of(n uint64) string { return fmt.Sprintf("%d of %d", n, p.Count) }

// A check with another Poll than the interface's would be shown no poll, without a word.
var (
	_ PollReader = (*dirtyCount)(nil)
	_ PollReader = (*earlyCount)(nil)
	_ PollReader = (*skipCount)(nil)
	_ PollReader = (*backCount)(nil)
	_ PollReader = (*twiceCount)(nil)
	_ PollReader = (*latencyCount)(nil)
)
