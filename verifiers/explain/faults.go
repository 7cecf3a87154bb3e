package explain

import (
	"fmt"
	"math"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// faults adds the faults that overlap the record's life, and marks the events during which each was active.
func (t *telling) faults() {
	first, last := history.Time(math.MaxInt64), history.Time(math.MinInt64)
	for _, e := range t.life.Events {
		first, last = min(first, e.At), max(last, e.At)
	}
	events := t.life.Events
	for _, f := range t.record.Faults {
		overlaps := f.Injected <= last && (f.Healed == 0 || f.Healed >= first)
		if f.Injected == 0 || !overlaps && !t.endedBy(f) {
			continue
		}
		n := len(t.life.Faults)
		t.life.Faults = append(t.life.Faults, f)
		for i := range events {
			if at := events[i].At; at >= f.Injected && (f.Healed == 0 || at < f.Healed) {
				events[i].Faults = append(events[i].Faults, n)
			}
		}
		t.injected(f, n)
	}
}

// endedBy means that a fault hit a process whose history ends in this life: its last entry is older than its end.
func (t *telling) endedBy(f harness.FaultRecord) bool {
	return slices.ContainsFunc(t.life.Events, func(e harness.LifeEvent) bool {
		return e.Kind == "cut off" && f.Injected >= e.At && slices.Contains(f.Resolved.Members, e.Process)
	})
}

func (t *telling) injected(f harness.FaultRecord, n int) {
	name := f.Fault + " " + f.Target
	text := name + " injected"
	if f.Resolved.Text != "" {
		text += ": " + f.Resolved.Text
	}
	t.add(harness.LifeEvent{At: f.Injected, Kind: "injected", Text: text, Faults: []int{n}})
	if f.Healed == 0 {
		t.missing("when %s was healed", name)
		return
	}
	text = name + " healed"
	if f.Reaction != "" {
		text += fmt.Sprintf(" (%s)", f.Reaction)
	}
	t.add(harness.LifeEvent{At: f.Healed, Kind: "healed", Text: text})
}
