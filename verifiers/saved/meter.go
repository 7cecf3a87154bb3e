package saved

import (
	"cmp"
	"math"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// Meter follows one output partition through time: what was offered to it, and what of it became visible. It is fed in
// time order and keeps what checks ask, no timeline.
type Meter struct {
	loadStart history.Time
	Faults    []faultMeter
	// first is when the first fault was injected, Healed when the last one ended (0: there was none).
	first, Healed history.Time

	Offered, Shown uint64
	// waiting means that there was input without output since since; lastSupply is the newest input's time.
	waiting           bool
	since, lastSupply history.Time

	// Longest is the longest pause since the load's start, nil for none.
	Longest *pause
	// Before were shown before the first fault, After after the last heal; During were offered while a fault was active.
	Before, After, During uint64
}

// faultMeter is what one fault did to a partition.
type faultMeter struct {
	injected, healed history.Time
	threshold        time.Duration
	// Outage is the longest pause over the threshold that overlaps the fault.
	outage *pause
	// Shown and ShownHealed are the first new outputs since it was injected, and since it was healed (0: none).
	shown, ShownHealed history.Time
}

// pause is a time during which a partition had input waiting and brought no new output. A pause that no output ended
// is open: it counts up to the last supply, because lost records would keep it waiting for ever.
type pause struct {
	start, end history.Time
	open       bool
}

// Length is how long it lasted.
func (p pause) Length() time.Duration { return p.end.Sub(p.start) }

// NewMeter makes a meter for the faults of a run.
func NewMeter(record *harness.RunRecord) *Meter {
	m := &Meter{loadStart: record.LoadStart, first: math.MaxInt64}
	threshold := cmp.Or(record.Bounds.StallThreshold, harness.DefaultBounds().StallThreshold)
	for _, f := range record.Faults {
		m.Faults = append(m.Faults, faultMeter{injected: f.Injected, healed: f.Healed, threshold: threshold})
		if f.Injected != 0 {
			m.first, m.Healed = min(m.first, f.Injected), max(m.Healed, f.Healed)
		}
	}
	return m
}

// supply takes n inputs that were offered: acknowledged into the input topic, or handed to the client of a source under
// test.
func (m *Meter) supply(at history.Time, n uint64) {
	if n == 0 {
		return
	}
	m.Offered += n
	m.lastSupply = at
	if !m.waiting && m.Offered > m.Shown {
		m.waiting, m.since = true, at
	}
	for i := range m.Faults {
		if f := &m.Faults[i]; f.injected != 0 && at >= f.injected && at < f.healed {
			m.During += n
			break
		}
	}
}

// progress takes n outputs of new inputs that became visible.
func (m *Meter) progress(at history.Time, n uint64) {
	if n == 0 {
		return
	}
	m.pause(at, false)
	m.Shown += n
	m.since, m.waiting = at, m.Offered > m.Shown
	if at < m.first {
		m.Before += n
	}
	if at >= m.Healed {
		m.After += n
	}
	for i := range m.Faults {
		m.Faults[i].progress(at)
	}
}

func (f *faultMeter) progress(at history.Time) {
	if f.shown == 0 && at >= f.injected {
		f.shown = at
	}
	if f.ShownHealed == 0 && at >= f.healed {
		f.ShownHealed = at
	}
}

// finish is called after the last supply and progress.
func (m *Meter) finish() {
	if m.Offered > 0 {
		m.pause(m.lastSupply, true)
	}
}

// pause notes the pause that ends now, if there is one.
func (m *Meter) pause(end history.Time, open bool) {
	start := max(m.since, m.loadStart)
	if !m.waiting || end <= start {
		return
	}
	p := pause{start, end, open}
	if p.longer(m.Longest) {
		m.Longest = new(p)
	}
	for i := range m.Faults {
		f := &m.Faults[i]
		if p.end > f.injected && p.start <= max(f.healed, f.injected) && p.Length() >= f.threshold && p.longer(f.outage) {
			f.outage = new(p)
		}
	}
}

func (p pause) longer(than *pause) bool { return than == nil || p.Length() > than.Length() }

// Recovered is the time from the fault's injection until its partition brought new output again, if it did.
func (f *faultMeter) Recovered() (time.Duration, bool) {
	if f.outage != nil {
		return f.outage.end.Sub(f.injected), !f.outage.open
	}
	return f.shown.Sub(f.injected), f.shown != 0
}
