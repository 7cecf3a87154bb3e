package results

import (
	"cmp"
	"slices"
	"time"

	"github.com/chaeos/chaeos/harness"
)

// Side is one run, or several runs of the same kind: the more there are, the better noise is told apart from change.
type Side struct {
	Name    string
	Reports []*harness.Report
}

// Comparison sets sides against the first: what changed between two Kafka versions, two clients, two nights.
type Comparison struct {
	Sides []string `json:"sides"`
	// Runs is the number of runs on each side.
	Runs []int `json:"runs"`
	// Verdicts are the claims whose worst verdict differs between sides, those that got worse first.
	Verdicts []VerdictChange `json:"verdicts"`
	Figures  []FigureChange  `json:"figures"`
	// Compared is how many pipelines of experiments are on every side; Missing are those that are not.
	Compared int       `json:"compared"`
	Missing  []Missing `json:"missing,omitempty"`
}

// Subject is what is compared: one pipeline in one experiment.
type Subject struct {
	Experiment string `json:"experiment"`
	Pipeline   string `json:"pipeline"`
}

// Tally counts the verdicts of one claim on one side.
type Tally struct {
	Runs         int `json:"runs"`
	Held         int `json:"held"`
	Violated     int `json:"violated"`
	Inconclusive int `json:"inconclusive"`
}

// VerdictChange is a claim whose worst verdict is not the same on every side.
type VerdictChange struct {
	Subject
	Guarantee harness.Guarantee `json:"guarantee"`
	Tallies   []Tally           `json:"tallies"`
	// Worse reports that a later side's worst verdict is worse than the first side's: held, inconclusive, violated.
	Worse bool `json:"worse"`
}

// Missing is a subject that some sides lack.
type Missing struct {
	Subject
	From []string `json:"from"`
}

// Worse reports whether a verdict got worse on any side.
func (c *Comparison) Worse() bool {
	return slices.ContainsFunc(c.Verdicts, func(v VerdictChange) bool { return v.Worse })
}

// Compare sets every side against the first. It is pure: the same reports give the same comparison.
func Compare(sides []Side) *Comparison {
	c := &Comparison{}
	rows := make([]map[Subject][]harness.Row, len(sides))
	for i, side := range sides {
		c.Sides = append(c.Sides, side.Name)
		c.Runs = append(c.Runs, len(side.Reports))
		rows[i] = rowsOf(side.Reports)
	}
	for _, subject := range subjects(rows) {
		var of [][]harness.Row
		var missing []string
		for i := range sides {
			of = append(of, rows[i][subject])
			if len(rows[i][subject]) == 0 {
				missing = append(missing, sides[i].Name)
			}
		}
		if len(missing) > 0 {
			c.Missing = append(c.Missing, Missing{subject, missing})
			continue
		}
		c.Compared++
		if v, changed := compareVerdicts(subject, of); changed {
			c.Verdicts = append(c.Verdicts, v)
		}
		c.Figures = append(c.Figures, compareFigures(subject, of)...)
	}
	slices.SortStableFunc(c.Verdicts, func(a, b VerdictChange) int { return worseFirst(a.Worse, b.Worse) })
	slices.SortStableFunc(c.Figures, func(a, b FigureChange) int { return cmp.Compare(a.rank(), b.rank()) })
	return c
}

func worseFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	default:
		return 1
	}
}

func rowsOf(reports []*harness.Report) map[Subject][]harness.Row {
	rows := map[Subject][]harness.Row{}
	for _, r := range reports {
		for _, row := range r.Rows {
			s := Subject{r.Experiment, row.Pipeline}
			rows[s] = append(rows[s], row)
		}
	}
	return rows
}

// subjects lists everything that any side has, sorted.
func subjects(sides []map[Subject][]harness.Row) []Subject {
	seen := map[Subject]bool{}
	var all []Subject
	for _, side := range sides {
		for s := range side {
			if !seen[s] {
				seen[s] = true
				all = append(all, s)
			}
		}
	}
	slices.SortFunc(all, func(a, b Subject) int {
		return cmp.Or(cmp.Compare(a.Experiment, b.Experiment), cmp.Compare(a.Pipeline, b.Pipeline))
	})
	return all
}

func tally(rows []harness.Row) Tally {
	t := Tally{Runs: len(rows)}
	for _, r := range rows {
		switch r.Verdict(r.Claims) {
		case harness.Held:
			t.Held++
		case harness.Violated:
			t.Violated++
		default:
			t.Inconclusive++
		}
	}
	return t
}

// severity orders worst verdicts: held, inconclusive, violated.
func (t Tally) severity() int {
	switch {
	case t.Violated > 0:
		return 2
	case t.Inconclusive > 0:
		return 1
	default:
		return 0
	}
}

func compareVerdicts(s Subject, sides [][]harness.Row) (VerdictChange, bool) {
	v := VerdictChange{Subject: s, Guarantee: sides[0][0].Claims}
	changed := false
	for i, rows := range sides {
		t := tally(rows)
		v.Tallies = append(v.Tallies, t)
		if i > 0 && t.severity() != v.Tallies[0].severity() {
			changed = true
			v.Worse = v.Worse || t.severity() > v.Tallies[0].severity()
		}
	}
	return v, changed
}

// amount is a figure as a number: a count, or nanoseconds.
func amount(v any) (amount float64, is bool) {
	switch v := v.(type) {
	case uint64:
		return float64(v), true
	case time.Duration:
		return float64(v), true
	default:
		return 0, false
	}
}
