package saved

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// happening is one supply (or else progress) of n records, for the slow way.
type happening struct {
	at     history.Time
	n      uint64
	supply bool
}

// slowPauses looks, for every progress and for the last supply, at all that happened before.
func slowPauses(all []happening, from history.Time) (found []pause) {
	var last history.Time
	for _, h := range all {
		if h.supply {
			last = h.at
		}
	}
	ends := slices.DeleteFunc(slices.Clone(all), func(h happening) bool { return h.supply })
	ends = append(ends, happening{at: last, n: 0})
	for i, end := range ends {
		open := i == len(ends)-1
		var offered, shown uint64
		var since history.Time
		for _, h := range ends[:i] {
			shown += h.n
			since = max(since, h.at)
		}
		waits := false
		for _, h := range all {
			if h.supply && (h.at <= end.at || open) {
				offered += h.n
				if offered > shown && !waits {
					waits, since = true, max(since, h.at)
				}
			}
		}
		if start := max(since, from); waits && end.at > start {
			found = append(found, pause{start, end.at, open})
		}
	}
	return found
}

// TestMeterAgainstTheSlowWay draws what happened in a partition and compares everything that checks ask.
func TestMeterAgainstTheSlowWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []happening
		for range rapid.IntRange(0, 25).Draw(t, "n") {
			all = append(all, happening{history.Time(rapid.IntRange(1, 40).Draw(t, "at")), rapid.Uint64Range(1, 5).Draw(t, "count"), rapid.Bool().Draw(t, "supply")})
		}
		slices.SortStableFunc(all, func(a, b happening) int {
			if a.at == b.at && a.supply != b.supply {
				return map[bool]int{true: -1, false: 1}[a.supply] // supply comes first
			}
			return cmp.Compare(a.at, b.at)
		})
		record := &harness.RunRecord{LoadStart: history.Time(rapid.IntRange(0, 20).Draw(t, "start")), Bounds: harness.Bounds{StallThreshold: 3}}
		for range rapid.IntRange(0, 2).Draw(t, "faults") {
			from := history.Time(rapid.IntRange(1, 30).Draw(t, "injected"))
			record.Faults = append(record.Faults, harness.FaultRecord{Injected: from, Healed: from.Add(time.Duration(rapid.IntRange(1, 9).Draw(t, "for")))})
		}
		m := NewMeter(record)
		for _, h := range all {
			if h.supply {
				m.supply(h.at, h.n)
			} else {
				m.progress(h.at, h.n)
			}
		}
		m.finish()
		requireMeter(t, m, all, record)
	})
}

func requireMeter(t *rapid.T, m *Meter, all []happening, record *harness.RunRecord) {
	pauses := slowPauses(all, record.LoadStart)
	longest := time.Duration(0)
	for _, p := range pauses {
		longest = max(longest, p.Length())
	}
	require.Equal(t, len(pauses) > 0, m.Longest != nil)
	if m.Longest != nil {
		require.Equal(t, longest, m.Longest.Length())
	}
	for i, f := range record.Faults {
		outage, shown, healed := time.Duration(0), history.Time(0), history.Time(0)
		for _, p := range pauses {
			if p.end > f.Injected && p.start <= f.Healed && p.Length() >= 3 {
				outage = max(outage, p.Length())
			}
		}
		for _, h := range slices.Backward(all) {
			if !h.supply && h.at >= f.Injected {
				shown = h.at
			}
			if !h.supply && h.at >= f.Healed {
				healed = h.at
			}
		}
		require.Equal(t, outage > 0, m.Faults[i].outage != nil)
		if outage > 0 {
			require.Equal(t, outage, m.Faults[i].outage.Length())
		}
		require.Equal(t, []history.Time{shown, healed}, []history.Time{m.Faults[i].shown, m.Faults[i].ShownHealed})
	}
	var offered uint64
	for _, h := range all {
		if h.supply && slices.ContainsFunc(record.Faults, func(f harness.FaultRecord) bool { return h.at >= f.Injected && h.at < f.Healed }) {
			offered += h.n
		}
	}
	require.Equal(t, offered, m.During)
}
