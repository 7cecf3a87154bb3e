package checks

import (
	"math"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/saved"
)

// lastCommits asks the histories of a group whether a commit of an input partition's final offset can be the last one that took
// effect: whether one was made, and may have taken effect after every confirmed commit of a higher offset was asked for.
type lastCommits struct {
	partition int32
	final     int64
	// asked is when the newest confirmed commit of a higher offset was asked for; last is until when a commit of the final offset
	// may have taken effect.
	asked, last history.Time
	untold      bool
	any         bool
}

// never is the time until which a commit whose outcome was not learnt may take effect.
const never = history.Time(math.MaxInt64)

func (c *lastCommits) explained() bool { return c.any && c.last >= c.asked }

// asking is a commit under way.
type asking struct {
	at     history.Time
	offset int64
	open   bool
}

// of reads one worker's history. It is done only where an offset went back.
func (c *lastCommits) of(f *kit.Facts, w *saved.Worker) error {
	txns := map[uint64]asking{}
	var plain asking
	// marking is the last committed transaction: its markers may still be on their way to the offsets when its end is answered.
	// They are there once a record of the next transaction is stored, or it has ended: coordinators begin none before.
	var marking asking
	err := f.Run.EachEntry(w.File, func(e history.Entry) {
		switch e := e.(type) {
		case *history.Committing:
			for _, o := range e.Offsets {
				if o.Partition != c.partition {
					continue
				}
				now := asking{at: e.At, offset: o.Offset, open: true}
				if e.Txn != 0 {
					txns[e.Txn] = now
					continue
				}
				c.resolve(plain, never, false)
				plain = now
			}
		case *history.Committed:
			for _, o := range e.Offsets {
				if e.Txn == 0 && o.Partition == c.partition && plain.open {
					c.answer(plain, e.At, e.Outcome)
					plain = asking{}
				}
			}
		case *history.Outputs:
			if e.Txn != 0 && e.Outcome == history.OutcomeConfirmed && !w.Effects {
				c.resolve(marking, e.At, true)
				marking = asking{}
			}
		case *history.TxnEnded:
			if e.Outcome == history.OutcomeConfirmed {
				c.resolve(marking, e.At, true)
				marking = asking{}
			}
			x, is := txns[e.Txn]
			delete(txns, e.Txn)
			switch {
			case !is:
			case e.Outcome == history.OutcomeConfirmed && e.Commit:
				marking = x
			case e.Outcome == history.OutcomeUnknown:
				c.resolve(x, never, false)
			}
		}
	})
	c.resolve(plain, never, false)
	c.resolve(marking, never, true)
	for _, x := range txns {
		c.resolve(x, never, false)
	}
	return err
}

func (c *lastCommits) answer(x asking, at history.Time, outcome history.Outcome) {
	switch outcome {
	case history.OutcomeConfirmed:
		c.resolve(x, at, true)
	case history.OutcomeUnknown:
		c.resolve(x, never, false)
	}
}

// resolve takes a commit that may have taken effect until a moment; confirmed ones have by then.
func (c *lastCommits) resolve(x asking, until history.Time, confirmed bool) {
	switch {
	case !x.open:
	case x.offset == c.final:
		c.any, c.last = true, max(c.last, until)
	case confirmed && x.offset > c.final:
		c.asked = max(c.asked, x.at)
	}
}
