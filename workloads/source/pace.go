package source

import (
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// pace is an open-loop schedule: record i of the steady stream is due at start + i/rate, whatever happens to the records
// before it. At each burst, further records are due at once.
type pace struct {
	start  history.Time
	load   harness.Load
	steady uint64
	bursts uint64
	// left are the records of the running burst that next has not returned.
	left int
}

func newPace(start history.Time, load harness.Load) pace { return pace{start: start, load: load} }

// unlimited reports whether the source sends as fast as it can: no rate is set.
func (p *pace) unlimited() bool { return p.load.Rate <= 0 }

// next returns when the next record is due; times never go back.
func (p *pace) next() history.Time {
	due := p.steadyDue()
	if p.load.Burst > 0 && p.load.BurstEvery > 0 {
		if p.left > 0 {
			p.left--
			return p.burstDue(p.bursts)
		}
		if at := p.burstDue(p.bursts + 1); at <= due {
			p.bursts++
			p.left = p.load.Burst - 1
			return at
		}
	}
	p.steady++
	return due
}

// peek is next without taking the record.
func (p *pace) peek() history.Time {
	ahead := *p
	return ahead.next()
}

func (p *pace) steadyDue() history.Time {
	return p.start + history.Time(float64(p.steady)*float64(time.Second)/p.load.Rate)
}

func (p *pace) burstDue(n uint64) history.Time {
	return p.start + history.Time(n)*history.Time(p.load.BurstEvery)
}

// due is the number of records that are due at a moment, at most most.
func (p *pace) due(by history.Time, most uint64) (n uint64) {
	ahead := *p
	for n < most && ahead.next() <= by {
		n++
	}
	return n
}

// block is how many records are intended at once: about a hundred milliseconds' worth. Intents then cost little, and a
// killed source leaves few records that are intended and were never sent.
func (p *pace) block() uint64 {
	const most = 1024
	if p.unlimited() {
		return most
	}
	return uint64(min(max(p.load.Rate/10, 1), most))
}
