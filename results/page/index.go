package page

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/results"
)

// Night is what one folder of runs showed.
type Night struct {
	// Name is the folder's.
	Name string
	Runs []Run
	// Failed are runs without a report, each with why.
	Failed []string
}

// Run is one run of a night, and where its own page is, as seen from the index.
type Run struct {
	Report *harness.Report
	Link   string
}

// mostNights is how many nights a cell's history shows, the newest of all that there are.
const mostNights = 30

// indexView is what the index's template shows.
type indexView struct {
	Name, Headline string
	Marks          []mark
	Pipelines      []string
	Experiments    []indexRow
	Look           []look
	Nights         []nightRow
	Style          template.CSS
	Script         template.JS
}

// indexRow is an experiment, with a cell for each pipeline.
type indexRow struct {
	Name  string
	Cells []indexCell
}

// indexCell is a pipeline in an experiment: what its last night showed, and its nights, oldest first. Its zero value is empty.
type indexCell struct {
	shown
	// Share is in how many of several runs of the night the outcome came out, "2/3".
	Share  string
	Nights []shown
}

// shown is an outcome with a link to the page of a run that showed it.
type shown struct {
	Outcome           results.Outcome
	Mark, Title, Link string
}

// look is a run to look at: it surprised, or proved nothing.
type look struct{ Outcome, Title, Link, Why string }

// nightRow counts the rows of a night's runs.
type nightRow struct {
	Name, When                                               string
	Runs, AsExpected, Surprises, Inconclusive, WithoutReport int
	Failed                                                   []string
}

// mark is how an outcome looks in a cell, and what it means.
type mark struct {
	Outcome    results.Outcome
	Mark, Text string
}

// marks lists the outcomes, the worst first.
func marks() []mark {
	return []mark{
		{results.OutcomeViolated, "✗", "violated, and must hold"},
		{results.OutcomeUnexpected, "!", "held, and must break"},
		{results.OutcomeInconclusive, "?", "nothing proved"},
		{results.OutcomeAllowed, "○", "violated, as it may be"},
		{results.OutcomeWanted, "⚑", "violated, as expected"},
		{results.OutcomeHeld, "✓", "held"},
	}
}

func rankOf(o results.Outcome) int {
	return slices.IndexFunc(marks(), func(m mark) bool { return m.Outcome == o })
}

// Index writes the page of a suite: experiments and pipelines, each with a link to a run's page, and the nights in which they
// ran. Errors are w's.
func Index(w io.Writer, name string, nights []Night) error {
	nights = slices.SortedStableFunc(slices.Values(nights), func(a, b Night) int { return begun(a).Compare(begun(b)) })
	v := indexView{Name: name, Headline: headline(name, nights), Marks: marks(), Pipelines: pipelinesOf(nights),
		Style: template.CSS(must("page.css") + must("index.css")), Script: template.JS(must("theme.js"))}
	for _, e := range experimentsOf(nights) {
		row := indexRow{Name: e}
		for _, p := range v.Pipelines {
			row.Cells = append(row.Cells, cellOf(nights, e, p))
		}
		v.Experiments = append(v.Experiments, row)
	}
	for i := len(nights) - 1; i >= 0; i-- {
		v.Nights = append(v.Nights, nightOf(nights[i]))
	}
	if len(nights) > 0 {
		v.Look = looksAt(nights[len(nights)-1])
	}
	return execute(w, "index.html.tmpl", v)
}

// execute writes a template's page as a whole.
func execute(w io.Writer, name string, view any) error {
	page, err := template.New(name).Parse(must(name))
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	var b bytes.Buffer
	if err := page.Execute(&b, view); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	_, err = w.Write(b.Bytes())
	return err
}

func headline(name string, nights []Night) string {
	var reports []*harness.Report
	var failed []string
	for _, n := range nights {
		failed = append(failed, n.Failed...)
		for _, r := range n.Runs {
			reports = append(reports, r.Report)
		}
	}
	return strings.TrimSpace(strings.TrimPrefix(results.SummaryHeadline(results.Summarise(name, reports, failed)), name))
}

// begun is when the first run of a night began.
func begun(n Night) (first time.Time) {
	for _, r := range n.Runs {
		if first.IsZero() || r.Report.Started.Before(first) {
			first = r.Report.Started
		}
	}
	return first
}

func experimentsOf(nights []Night) []string {
	names := map[string]bool{}
	for _, n := range nights {
		for _, r := range n.Runs {
			names[r.Report.Experiment] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func pipelinesOf(nights []Night) []string {
	names := map[string]bool{}
	for _, n := range nights {
		for _, r := range n.Runs {
			for _, row := range r.Report.Rows {
				names[row.Pipeline] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// cellOf is a pipeline in an experiment over all nights that had it.
func cellOf(nights []Night, experiment, pipeline string) (c indexCell) {
	for _, n := range nights {
		worst, same, runs := worstOf(n, experiment, pipeline)
		if runs == 0 {
			continue
		}
		c.shown, c.Share = worst, ""
		if runs > 1 {
			c.Share = fmt.Sprintf("%d/%d", same, runs)
		}
		c.Nights = append(c.Nights, worst)
	}
	if len(c.Nights) == 1 { // the cell says it already
		c.Nights = nil
	}
	c.Nights = c.Nights[max(0, len(c.Nights)-mostNights):]
	return c
}

// worstOf is the worst outcome of a night's runs, with the last run that showed it. same is how many of the runs did.
func worstOf(n Night, experiment, pipeline string) (worst shown, same, runs int) {
	for _, r := range n.Runs {
		if r.Report.Experiment != experiment {
			continue
		}
		for _, row := range r.Report.Rows {
			if row.Pipeline != pipeline {
				continue
			}
			runs++
			verdict, outcome := worstVerdict(row)
			switch {
			case worst.Outcome == "" || rankOf(outcome) < rankOf(worst.Outcome):
				same = 1
			case outcome == worst.Outcome:
				same++
			default:
				continue
			}
			worst = shown{outcome, marks()[rankOf(outcome)].Mark, title(r.Report, row, verdict, outcome), r.Link}
		}
	}
	return worst, same, runs
}

// worstVerdict is the worst of a row's verdicts: on its claim, and on whatever else the experiment expects something of.
func worstVerdict(row harness.Row) (worst harness.GuaranteeVerdict, outcome results.Outcome) {
	worst, outcome = harness.GuaranteeVerdict{Guarantee: row.Claims, Verdict: row.Verdict(row.Claims)}, results.OutcomeOf(row)
	for _, v := range row.Verdicts {
		if o := results.OutcomeOfVerdict(v); v.Expected != "" && rankOf(o) < rankOf(outcome) {
			worst, outcome = v, o
		}
	}
	return worst, outcome
}

func title(r *harness.Report, row harness.Row, v harness.GuaranteeVerdict, outcome results.Outcome) string {
	return fmt.Sprintf("%s, %s: %s %s%s (seed %d, %s)", r.Experiment, row.Pipeline, v.Guarantee, v.Verdict, outcome.Remark(), r.Seed,
		r.Started.UTC().Format(time.DateOnly))
}

// looksAt lists the runs of a night that did not come out as expected, the worst first.
func looksAt(n Night) (all []look) {
	for _, r := range n.Runs {
		if r.Report.Exit != 0 {
			outcome := results.OutcomeInconclusive
			if r.Report.Exit == 3 {
				outcome = results.OutcomeViolated
			}
			all = append(all, look{string(outcome), fmt.Sprintf("%s seed %d", r.Report.Experiment, r.Report.Seed), r.Link, r.Report.Why})
		}
	}
	slices.SortStableFunc(all, func(a, b look) int {
		return cmp.Or(cmp.Compare(rankOf(results.Outcome(a.Outcome)), rankOf(results.Outcome(b.Outcome))), cmp.Compare(a.Title, b.Title))
	})
	return all
}

func nightOf(n Night) nightRow {
	row := nightRow{Name: n.Name, Runs: len(n.Runs), WithoutReport: len(n.Failed), Failed: n.Failed}
	if at := begun(n); !at.IsZero() {
		row.When = at.UTC().Format("2006-01-02 15:04")
	}
	for _, r := range n.Runs {
		for _, x := range r.Report.Rows {
			switch _, outcome := worstVerdict(x); outcome {
			case results.OutcomeViolated, results.OutcomeUnexpected:
				row.Surprises++
			case results.OutcomeInconclusive:
				row.Inconclusive++
			default:
				row.AsExpected++
			}
		}
	}
	return row
}
