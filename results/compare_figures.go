package results

import (
	"slices"

	"github.com/chaeos/chaeos/harness"
)

// Difference is what the difference of a figure between two sides means.
type Difference string

// The differences. Only runs that were repeated show how far a figure strays by itself.
const (
	// Changed: no value of the one side lies within the spread of the other, and there are runs enough for that to say
	// something.
	Changed Difference = "changed"
	// TooFew: the spreads lie apart, as those of so few runs often do by chance (chanceApart).
	TooFew Difference = "apart, but too few runs to tell"
	// CannotTell: the values differ, and neither side has more than one run.
	CannotTell Difference = "one run a side"
	// WithinSpread: the spreads of the two sides overlap.
	WithinSpread Difference = "within the spread"
)

// Spread is a figure over the runs of one side. Durations are nanoseconds, null where infinite.
type Spread struct {
	// Runs is the number of runs in which the figure was observed.
	Runs   int    `json:"runs"`
	Median Amount `json:"median"`
	Min    Amount `json:"min"`
	Max    Amount `json:"max"`
}

// FigureChange is a figure that is not the same on every side.
type FigureChange struct {
	Subject
	// Key is the column's name in JSON; Duration reports that its values are nanoseconds.
	Key      string   `json:"key"`
	Duration bool     `json:"duration,omitempty"`
	Spreads  []Spread `json:"spreads"`
	// Differences are those of the later sides from the first ("" none).
	Differences []Difference `json:"differences"`
}

// rank puts what changed first.
func (f FigureChange) rank() int {
	switch {
	case slices.Contains(f.Differences, Changed):
		return 0
	case slices.Contains(f.Differences, CannotTell), slices.Contains(f.Differences, TooFew):
		return 1
	default:
		return 2
	}
}

func compareFigures(s Subject, sides [][]harness.Row) []FigureChange {
	var out []FigureChange
	for _, column := range Columns() {
		f := FigureChange{Subject: s, Key: column.Key, Duration: column.Duration}
		differs := false
		for i, rows := range sides {
			spread := spreadOf(column, rows)
			f.Spreads = append(f.Spreads, spread)
			if i > 0 {
				d := differ(f.Spreads[0], spread)
				f.Differences = append(f.Differences, d)
				differs = differs || d != ""
			}
		}
		if differs {
			out = append(out, f)
		}
	}
	return out
}

func spreadOf(c Column, rows []harness.Row) Spread {
	var values []Amount
	for _, r := range rows {
		if n, is := amountOf(c, r); is {
			values = append(values, n)
		}
	}
	if len(values) == 0 {
		return Spread{}
	}
	slices.Sort(values)
	middle := len(values) / 2
	median := values[middle]
	if len(values)%2 == 0 {
		median = (values[middle-1] + values[middle]) / 2
	}
	return Spread{Runs: len(values), Median: median, Min: values[0], Max: values[len(values)-1]}
}

// differ judges by the spreads alone. A figure that one side never observed can't be compared.
func differ(a, b Spread) Difference {
	switch {
	case a.Runs == 0 || b.Runs == 0:
		return ""
	case a.Min == b.Min && a.Max == b.Max && a.Median == b.Median:
		return ""
	case a.Runs == 1 && b.Runs == 1:
		return CannotTell
	case a.Max >= b.Min && b.Max >= a.Min:
		return WithinSpread
	case chanceApart(a.Runs, b.Runs) > mostChance:
		return TooFew
	default:
		return Changed
	}
}

// mostChance is how probable chance may be where a figure is called changed: three runs a side have 10 %.
const mostChance = 0.1

// chanceApart is how probable it is that the spreads of a and b runs lie apart though nothing changed: of all the orders in
// which their values can come, the two in which one side's come before all of the other's. 2/C(a+b, a).
func chanceApart(a, b int) float64 {
	chance := 2.0
	for i := 1; i <= a; i++ {
		chance *= float64(i) / float64(b+i)
	}
	return min(chance, 1)
}

// chance is the greatest of the chances of those differences that are called changes.
func (f FigureChange) chance() (most float64) {
	for i, d := range f.Differences {
		if d == Changed {
			most = max(most, chanceApart(f.Spreads[0].Runs, f.Spreads[i+1].Runs))
		}
	}
	return most
}
