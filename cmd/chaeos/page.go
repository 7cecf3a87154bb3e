package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/results"
	"github.com/chaeos/chaeos/results/page"
	"github.com/chaeos/chaeos/verifiers/explain"
	"github.com/chaeos/chaeos/verifiers/timeline"
)

// livesTold is of how many anomalies of a kind and pipeline a page carries the whole life: each costs a walk through the
// run's files. The others say which command tells theirs.
const livesTold = 3

// axis turns monotonic times into seconds from the start of the load.
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

// writePage writes the HTML page of the run in dir.
func writePage(w io.Writer, report *harness.Report, dir string) error {
	t, err := pageOf(report, dir)
	if err != nil {
		return err
	}
	return page.HTML(w, report, t, page.Options{Again: "chaeos verify " + shellWord(near(dir))})
}

func pageOf(report *harness.Report, dir string) (*page.Timeline, error) {
	record, err := harness.LoadRecord(dir)
	if err != nil {
		return nil, err
	}
	a := axis{history.Time(report.LoadStart)}
	if a.start == 0 { // the run ended before its load
		a.start = record.Base
	}
	t := page.NewTimeline(a.at(begun(record)), a.at(record.Base.Add(record.Took)))
	for _, f := range report.Faults {
		if f.Injected != 0 {
			t.Faults = append(t.Faults, page.Band{From: a.at(f.Injected), To: a.to(f.Healed), Name: f.Fault, Text: f.Fault + ": " + f.Resolved.Text + "\n" + f.Effect})
		}
	}
	if t.Pipelines, err = pagePipelines(report, dir, a); err != nil {
		return nil, err
	}
	if t.Leaders, err = pageLeaders(record, dir, a); err != nil {
		return nil, err
	}
	t.Lives, err = pageLives(record, dir, a)
	return t, err
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

func pagePipelines(report *harness.Report, dir string, a axis) ([]page.Pipeline, error) {
	series := map[string]*series{}
	err := timeline.Build(dir, func(b timeline.Bucket) error {
		s := series[b.Pipeline]
		if s == nil {
			s = newSeries()
			series[b.Pipeline] = s
		}
		s.add(a.at(b.Start), b)
		return nil
	})
	if err != nil {
		return nil, err
	}
	markers, err := pageMarkers(report, dir, a)
	if err != nil {
		return nil, err
	}
	out := []page.Pipeline{}
	for _, row := range report.Rows {
		p := page.Pipeline{Name: row.Pipeline, Stalls: pageStalls(report, row.Pipeline, a), Markers: markers[row.Pipeline]}
		p.Verdict = fmt.Sprintf("%s %s", row.Claims, row.Verdict(row.Claims))
		if s := series[row.Pipeline]; s != nil {
			s.into(&p)
		}
		out = append(out, p.Whole())
	}
	return out, nil
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
		out = append(out, page.Band{From: a.at(history.Time(s.Start)), To: a.to(end), Name: name, Text: results.StallText(s, report.LoadStart)})
	}
	return out
}

// pageMarkers places every anomaly that the report keeps at the moment in which its record was handed to the source's
// client.
func pageMarkers(report *harness.Report, dir string, a axis) (map[string][]page.Marker, error) {
	var ids []history.Identity
	for _, x := range report.Anomalies {
		if x.Record != nil {
			ids = append(ids, identityOf(x))
		}
	}
	offered, err := timeline.Offered(dir, ids)
	if err != nil {
		return nil, err
	}
	out := map[string][]page.Marker{}
	told := map[string]int{}
	for _, x := range report.Anomalies {
		if x.Record == nil {
			continue
		}
		at, known := offered[identityOf(x)]
		if !known {
			continue
		}
		m := page.Marker{At: a.at(at), Kind: string(x.Kind), Label: string(x.Kind) + ": " + x.Text,
			Command: fmt.Sprintf("chaeos explain %s %d/%d --pipeline %s", shellWord(near(dir)), x.Record.Source, x.Record.Sequence, x.Pipeline)}
		if key := x.Pipeline + " " + string(x.Kind); told[key] < livesTold {
			told[key]++
			if m.Life, err = lifeText(dir, x); err != nil {
				return nil, err
			}
		}
		out[x.Pipeline] = append(out[x.Pipeline], m)
	}
	return out, nil
}

func identityOf(x harness.Anomaly) history.Identity {
	return history.Identity{Source: x.Record.Source, Sequence: x.Record.Sequence}
}

func lifeText(dir string, x harness.Anomaly) (string, error) {
	life, err := explain.Of(dir, explain.Ref{Identity: identityOf(x)}, x.Pipeline)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := results.Life(&b, life); err != nil {
		return "", err
	}
	return b.String(), nil
}
