package harness

import (
	"fmt"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness/history"
)

// paceEvery is the shortest time over which a rate is measured: over less, single batches would make it jump.
const paceEvery = 2 * time.Second

// pace measures how many records become visible a second.
type pace struct {
	at      history.Time
	visible map[string]uint64
	rates   map[string]float64
}

// measure takes the current counts. The rates stay the same until enough time has passed for new ones.
func (p *pace) measure(now history.Time, visible map[string]uint64) map[string]float64 {
	if p.at == 0 {
		p.at, p.visible, p.rates = now, visible, map[string]float64{}
	}
	passed := now.Sub(p.at)
	if passed < paceEvery {
		return p.rates
	}
	for name, n := range visible {
		p.rates[name] = float64(n-min(n, p.visible[name])) / passed.Seconds()
	}
	p.at, p.visible = now, visible
	return p.rates
}

// progress is the current state: the active faults, then a line a pipeline with what became visible, how far that is behind
// what was offered, and how far the last stable offset is behind the high watermark.
func (r *run) progress(p *pace) string {
	visible := map[string]uint64{}
	for _, l := range r.record.Plan.Pipelines {
		visible[l.Name] = r.observer.Visible(l.Name)
	}
	rates := p.measure(history.Now(), visible)
	lines := []string{"no fault active"}
	if active := r.schedule.active(); active != "" {
		lines[0] = "fault: " + active
	}
	for _, l := range r.record.Plan.Pipelines {
		offered := r.fleet.Offered(l.Name)
		line := fmt.Sprintf("  %-24s %6.0f/s  %d visible, %d behind", l.Name, rates[l.Name], visible[l.Name], offered-min(offered, visible[l.Name]))
		if lag := r.observer.LargestLag(l.Name); lag > 0 {
			line += fmt.Sprintf(", LSO %d behind", lag)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
