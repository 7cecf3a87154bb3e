package results

import (
	"cmp"
	"slices"

	"github.com/chaeos/chaeos/harness"
)

// Side is one run, or several runs of the same kind: the more runs, the better noise is separated from change.
type Side struct {
	Name    string
	Reports []*harness.Report
}

// Comparison sets sides against the first: what changed between two Kafka versions, two clients, two nights.
type Comparison struct {
	Sides []string `json:"sides"`
	// Runs is the number of runs on each side.
	Runs []int `json:"runs"`
	// Verdicts are the claims whose verdict differs between sides, or is not proved on one, those that got worse first.
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

// Change is how a verdict on a later side compares with the first side's, judged by what the experiment expects of it.
type Change string

// The changes, the worst first.
const (
	// Worse: a claim that must hold is violated, and was not on the first side.
	Worse Change = "worse"
	// Unproved: a side is inconclusive, or shows nothing of a claim that must break. That is neither better nor worse.
	Unproved Change = "nothing proved"
	// Different: a claim that may break does so on one side only.
	Different Change = "different"
	// Better: a claim that must hold does so again, or one that must break is shown to break.
	Better Change = "better"
)

// rank orders changes, the worst first; no change is the last.
func (c Change) rank() int {
	return slices.Index([]Change{Worse, Unproved, Different, Better, ""}, c)
}

// VerdictChange is a claim whose verdict is not the same on every side, or is not proved on one.
type VerdictChange struct {
	Subject
	Guarantee harness.Guarantee   `json:"guarantee"`
	Expected  harness.Expectation `json:"expected"`
	Tallies   []Tally             `json:"tallies"`
	// Change is the worst change of a later side. Worse reports whether it is that.
	Change Change `json:"change"`
	Worse  bool   `json:"worse"`
}

// Missing is a subject that some sides lack.
type Missing struct {
	Subject
	From []string `json:"from"`
}

// Worse reports whether a verdict got worse on any side.
func (c *Comparison) Worse() bool { return c.has(Worse) }

// Unproved reports whether nothing is proved of some claim, or nothing was compared at all.
func (c *Comparison) Unproved() bool { return c.Compared == 0 || c.has(Unproved) }

func (c *Comparison) has(change Change) bool {
	return slices.ContainsFunc(c.Verdicts, func(v VerdictChange) bool { return v.Change == change })
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
	slices.SortStableFunc(c.Verdicts, func(a, b VerdictChange) int { return cmp.Compare(a.Change.rank(), b.Change.rank()) })
	slices.SortStableFunc(c.Figures, func(a, b FigureChange) int { return cmp.Compare(a.rank(), b.rank()) })
	return c
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

// verdict is what the runs of a side show together, by what is expected: any run that must not be counts, then any that proves
// nothing.
func (t Tally) verdict(expected harness.Expectation) harness.Verdict {
	bad, good, badRuns := harness.Violated, harness.Held, t.Violated
	if expected == harness.MustBreak {
		bad, good, badRuns = harness.Held, harness.Violated, t.Held
	}
	switch {
	case badRuns > 0:
		return bad
	case t.Inconclusive > 0:
		return harness.Inconclusive
	default:
		return good
	}
}

// changed compares a later side's verdict with the first side's.
func changed(expected harness.Expectation, first, later harness.Verdict) Change {
	switch {
	case expected == harness.MustHold && later == harness.Violated && first != harness.Violated:
		return Worse
	case first == harness.Inconclusive || later == harness.Inconclusive:
		return Unproved
	case first == later:
		return ""
	case expected == harness.MayBreak:
		return Different
	case expected == harness.MustBreak && later == harness.Held:
		return Unproved
	default:
		return Better
	}
}

func compareVerdicts(s Subject, sides [][]harness.Row) (VerdictChange, bool) {
	v := VerdictChange{Subject: s, Guarantee: sides[0][0].Claims, Expected: expected(sides[0][0])}
	for i, rows := range sides {
		t := tally(rows)
		v.Tallies = append(v.Tallies, t)
		if i == 0 {
			continue
		}
		if c := changed(v.Expected, v.Tallies[0].verdict(v.Expected), t.verdict(v.Expected)); c.rank() < v.Change.rank() {
			v.Change = c
		}
	}
	v.Worse = v.Change == Worse
	return v, v.Change != ""
}
