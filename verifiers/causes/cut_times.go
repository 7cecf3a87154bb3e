package causes

import (
	"math"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/saved"
)

// Cuts are the times at which a partition's log was cut off, as far as the evidence knows: what readers were given of it before
// need not be what it holds now. Nothing else excuses a reader that was given something else than the final log holds.
type Cuts []cut

// cut took everything from an offset on. Until is the last moment at which a reader may have been given what was cut off.
type cut struct {
	from  int64
	until history.Time
}

// CutsOf lists a partition's cuts: those that samples prove, and those that the live reader's client heard of.
func CutsOf(r *saved.Run, p *logs.Partition) (all Cuts) {
	for _, t := range truncated(p, r.Live) {
		all = append(all, cut{t.From, cutBy(r.Live, p, t.OldEpoch, t.NewEpoch)})
	}
	for _, l := range r.Live.DataLoss[p.At] {
		all = append(all, cut{l.From, l.At})
	}
	return all
}

// cutBy is when the leader of the newer epoch led for sure and the one of the older no more.
func cutBy(l *saved.Live, p *logs.Partition, older, newer int32) history.Time {
	led, ok := l.Leaderships[p.At][newer]
	if !ok || newer <= older {
		return math.MaxInt64
	}
	return max(led.First, l.Leaderships[p.At][older].Last)
}

// Over reports whether what a reader was given at a time in offsets up to one may have been cut off since.
func (c Cuts) Over(at history.Time, to int64) bool {
	for _, x := range c {
		if x.from < to && at <= x.until {
			return true
		}
	}
	return false
}

// Before reports whether a cut after a time lets a reader begin again at an offset.
func (c Cuts) Before(after history.Time, from int64) bool {
	for _, x := range c {
		if x.from <= from && after <= x.until {
			return true
		}
	}
	return false
}

// From is the lowest offset that was cut off; ok where there is one.
func (c Cuts) From() (from int64, ok bool) {
	for _, x := range c {
		if !ok || x.from < from {
			from, ok = x.from, true
		}
	}
	return from, ok
}
