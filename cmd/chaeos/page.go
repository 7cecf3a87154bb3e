package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/together"
	"github.com/chaeos/chaeos/results"
	"github.com/chaeos/chaeos/results/page"
	"github.com/chaeos/chaeos/verifiers"
)

// axis turns monotonic times into seconds from RunRecord.Zero, as the table shows them.
type axis struct{ start history.Time }

func (a axis) at(t history.Time) float64 {
	return float64(t.Sub(a.start).Round(time.Millisecond)) / float64(time.Second)
}

// to is the end of something, nil where it had none.
func (a axis) to(t history.Time) *float64 {
	if t == 0 {
		return nil
	}
	s := a.at(t)
	return &s
}

// writePage judges the run in dir, and writes its HTML page.
func writePage(w io.Writer, dir string) error {
	report, err := verifiers.JudgeKeeping(dir, markersDrawn)
	if err != nil {
		return err
	}
	t, err := pageOf(report, dir)
	if err != nil {
		return err
	}
	return page.HTML(w, report, t, page.Options{Again: "chaeos verify " + shellWord(near(dir))})
}

// pageOf reads what the page draws. Its parts are read in parallel.
func pageOf(report *harness.Report, dir string) (*page.Timeline, error) {
	record, err := harness.LoadRecord(dir)
	if err != nil {
		return nil, err
	}
	a := axis{history.Time(report.LoadStart)}
	t := page.NewTimeline(a.at(begun(record)), a.at(record.Base.Add(record.Took)))
	t.Explain = "chaeos explain " + shellWord(near(dir))
	for _, f := range report.Faults {
		if f.Injected != 0 {
			t.Faults = append(t.Faults, page.Band{From: a.at(f.Injected), To: a.to(f.Healed), Name: f.Fault, Text: f.Fault + ": " + f.Resolved.Text + "\n" + f.Reaction})
		}
	}
	var series map[string]*series
	var markers map[string][]page.Marked
	err = together.All(
		func() (err error) { series, err = pageSeries(dir, a); return err },
		func() (err error) { markers, err = pageMarkers(report, dir, a); return err },
		func() (err error) { t.Leaders, err = pageLeaders(record, dir, a); return err },
		func() (err error) { t.Members, err = pageMembers(record, dir, a); return err },
	)
	if err != nil {
		return nil, err
	}
	for _, row := range report.Rows {
		p := page.Pipeline{Name: row.Pipeline, Stalls: pageStalls(report, row.Pipeline, a), Markers: markers[row.Pipeline]}
		outcome := results.OutcomeOf(row)
		p.Verdict, p.Outcome = fmt.Sprintf("%s %s%s", row.Claims, row.Verdict(row.Claims), outcome.Remark()), string(outcome)
		if s := series[row.Pipeline]; s != nil {
			s.into(&p)
		}
		t.Pipelines = append(t.Pipelines, p.Whole())
	}
	return t, nil
}

// begun is when the run had its topics, or when it began where it never had any: nothing is recorded before.
func begun(record *harness.RunRecord) history.Time {
	for _, phase := range record.Phases {
		if phase.Name == "warm" {
			return phase.Start
		}
	}
	return record.Base
}

func pageStalls(report *harness.Report, pipeline string, a axis) []page.Band {
	out := []page.Band{}
	for _, s := range report.Stalls {
		if s.Pipeline != pipeline {
			continue
		}
		end := history.Time(s.Start).Add(s.Length)
		if s.Open {
			end = 0
		}
		name := strings.TrimPrefix(s.TransactionalID, report.Run+"-")
		if name == "" {
			name = "unknown transaction"
		}
		out = append(out, page.Band{From: a.at(history.Time(s.Start)), To: a.to(end), Name: name, Text: results.Short(results.StallText(s, report.LoadStart), report.Run)})
	}
	return out
}
